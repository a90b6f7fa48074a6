"""What Codex writes."""
