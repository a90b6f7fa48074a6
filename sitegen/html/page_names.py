"""The names of pages: what can be read of one never looks like a secret, which the last scan would mask in each link."""

from functools import lru_cache

from sitegen.masking.redact import Redactor
from sitegen.text import names

_RULES = Redactor()


@lru_cache(maxsize=4096)
def page_id(shown: str, path: str, redactor: Redactor = _RULES) -> str:
    """Return the name of a page as `names.page_id` does, without `shown` where a secret would come of it."""
    name = names.page_id(shown, path)
    return name if is_readable(name, redactor) else names.page_id("", path)


def is_readable(name: str, redactor: Redactor = _RULES) -> bool:
    """Return whether a name of words and hyphens looks like no secret, although its parts may come of runs."""
    return not redactor.find(name)
