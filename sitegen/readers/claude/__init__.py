"""What Claude Code writes."""
