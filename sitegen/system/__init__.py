"""The machine: places of files, processes, signals, and limits."""
