"""The files of programs that run agents on benchmarks."""
