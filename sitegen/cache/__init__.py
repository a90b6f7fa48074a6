"""The cache that a build leaves for the next one, and the check that nothing has changed."""
