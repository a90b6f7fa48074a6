"""Templates, markdown, highlighting, and data as scripts."""
