"""What programs write that run agents on benchmarks."""
