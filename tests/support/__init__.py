"""What tests share: generators, browsers, checks of a whole site."""
