"""sitegen turns a folder of coding-agent result files into a static report site.

For notebooks and scripts: `from sitegen import load_runs`; docs/api.md explains it.
"""

from importlib import import_module

TYPE_CHECKING = False  # typing.TYPE_CHECKING to a type checker; importing typing takes as long as Python's own start

__all__ = ["Entry", "Run", "Runs", "__version__", "load_runs"]

__version__ = "0.1.0"

if TYPE_CHECKING:
    from sitegen.api import Runs, load_runs
    from sitegen.model import Entry, Run
else:

    def __getattr__(name: str) -> object:
        """Return what this package offers, imported when it is first asked for: the command must start fast."""
        if name not in __all__:
            raise AttributeError(f"module 'sitegen' has no attribute {name!r}")
        return getattr(
            import_module("sitegen.model" if name in ("Entry", "Run") else "sitegen.api"), name
        )
