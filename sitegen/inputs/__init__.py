"""The way from folders and archives to runs: finding, reading, merging."""
