"""What happened in a run: the section of its page, and the pages of its transcript."""
