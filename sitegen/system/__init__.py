"""What the program meets on a machine: places of files, processes, signals, and limits on what it takes in."""
