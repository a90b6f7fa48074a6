"""sitegen turns a folder of coding-agent result files into a static report site."""

__version__ = "0.1.0"
