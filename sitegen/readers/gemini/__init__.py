"""What gemini-cli writes."""
