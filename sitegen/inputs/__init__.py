"""From folders and archives to runs: what lies there, reading, merging."""
