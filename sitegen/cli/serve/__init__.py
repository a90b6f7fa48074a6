"""`sitegen serve`: the loop that builds the site anew whenever something changes, and the server."""
