"""Data as classic scripts, which pages load also from file://."""

import json
from collections.abc import Mapping


def script(name: str, value: object) -> bytes:
    """Return a classic script that sets `window.<name>`: works from file://, where a page may not fetch.

    A string for JSON.parse takes half the heap of a literal.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"window.{name}=JSON.parse({_literal(text)});\n".encode()


def texts_script(name: str, texts: Mapping[str, str]) -> bytes:
    """Return a classic script that sets `window.<name>` to long texts by name, which a browser reads once and not
    twice."""
    return f"window.{name}={_literal(texts)};\n".encode()


def _literal(value: object) -> str:
    """Return a value as JavaScript. `<`, `>`, `&` and its line separators are escaped: the text is safe wherever it is
    put."""
    literal = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":  # many times as fast as str.translate
        literal = literal.replace(sign, f"\\u{ord(sign):04x}")
    return literal
