"""The machine: places of files, processes, signals, and limits on what is taken in."""
