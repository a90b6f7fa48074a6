"""What a build keeps for the next one, and the check that nothing has changed."""
