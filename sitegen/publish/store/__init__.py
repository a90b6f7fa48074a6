"""Sites that go to an address: a store of objects or another machine."""
