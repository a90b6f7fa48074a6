"""The files at an address: in a store of objects."""
