"""Charts: what the figures say, how that is laid out and drawn, and the picture of a link."""
