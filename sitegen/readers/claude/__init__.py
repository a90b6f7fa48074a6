"""The files that Claude Code writes."""
