"""The seal on all that lies in the cache folder, and how a file is read from there.

Whoever can write to that folder can write anything into it, so what is read from it is checked as input is. With
SITEGEN_CACHE_KEY, a secret of CI, the seal is an HMAC: what others wrote is then not used at all. Without it, it is a
check sum, which only tells damage. Imports little, for a build before which nothing changed.
"""

from __future__ import annotations

import os
import stat

try:
    from _blake2 import blake2b  # what hashlib gives, which loads OpenSSL first: 3 ms
except ImportError:
    from hashlib import blake2b

KEY_VARIABLE = "SITEGEN_CACHE_KEY"
SEAL_BYTES = 32
SHORTEST_KEY = 16
"""Characters; of a shorter one the build warns."""


def has_key() -> bool:
    """Whether seals prove who wrote: see the module."""
    return bool(os.environ.get(KEY_VARIABLE))


def doubt_about_key() -> str | None:
    """Why the key that is set proves nothing, in a sentence; None where it does, or none is set."""
    key = os.environ.get(KEY_VARIABLE)
    if key is None or len(key) >= SHORTEST_KEY:
        return None
    if not key:
        return f"{KEY_VARIABLE} is empty, so what the cache holds is not signed: unset it, or give it its secret."
    return f"{KEY_VARIABLE} has fewer than {SHORTEST_KEY} characters, so it can be guessed: take 32 random ones."


def seal(*parts: bytes) -> bytes:
    """What proves that these parts, in this order, are as they were kept."""
    message = b"".join(part for each in parts for part in (len(each).to_bytes(8), each))
    key = os.fsencode(os.environ.get(KEY_VARIABLE, ""))
    if not key:
        return blake2b(message, digest_size=SEAL_BYTES).digest()
    import hmac

    return hmac.digest(key, message, "sha256")


def is_sealed(given: bytes, *parts: bytes) -> bool:
    """Whether `given` is the seal of these parts; the time that this takes says nothing of the right one."""
    if not has_key():
        return given == seal(*parts)
    import hmac

    return hmac.compare_digest(given, seal(*parts))


def is_plain_file(path: str, most_bytes: int) -> bool:
    """Whether a regular file of at most so many bytes lies there: no pipe that would never end, and no name of
    a file that lies elsewhere as well."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_size <= most_bytes


def read_kept(path: str, most_bytes: int) -> bytes | None:
    """The content of such a file; None where there is none."""
    if not is_plain_file(path, most_bytes):
        return None
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
            return file.read(most_bytes)
    except OSError:
        return None
