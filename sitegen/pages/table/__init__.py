"""The table of runs and its columns."""
