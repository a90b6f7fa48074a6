"""The content of each page, as frozen views; the data files and the search."""
