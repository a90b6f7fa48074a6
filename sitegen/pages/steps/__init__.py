"""The events of a run: the section of its page, and the pages of its transcript."""
