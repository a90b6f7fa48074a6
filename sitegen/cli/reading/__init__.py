"""Commands about what is read."""
