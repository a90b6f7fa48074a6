"""The signature of everything in the cache folder, and how a file is read from there.

Whoever can write to that folder can write anything into it, so only what carries a signature (keyed BLAKE2b, RFC 7693)
is used. The key is SITEGEN_CACHE_KEY, a secret of CI, or else random bytes that sitegen makes once in the user's
configuration folder. Without a key there is no cache.
"""

import os
import stat
import sys
from hashlib import blake2b

from sitegen.system.places import cache_folder, config_folder, is_own_folder

KEY_VARIABLE = "SITEGEN_CACHE_KEY"
SEAL_BYTES = 32
MIN_KEY_CHARACTERS = 16
_KEY_FILE = "cache.key"
_KEY_BYTES = 64
_keys: dict[str, bytes | None] = {}  # the key of the user by its path: it is read once in a process


def signing_key() -> bytes | None:
    """Return the key of all signatures; None where there is none, or one that can be guessed."""
    variable = os.environ.get(KEY_VARIABLE)
    if variable is not None:
        return _digest(os.fsencode(variable)) if len(variable) >= MIN_KEY_CHARACTERS else None
    path = os.path.join(config_folder(), _KEY_FILE)
    if path not in _keys:
        _keys[path] = _read_key(path) or _new_key(path)
    return _keys[path]


def doubt_about_key() -> str | None:
    """Return why there is no key, in a sentence; None where there is one."""
    if signing_key() is not None:
        return None
    if (given := os.environ.get(KEY_VARIABLE)) is None:
        return f"Nothing is cached: the key {os.path.join(config_folder(), _KEY_FILE)} cannot be read or made."
    short = f"has fewer than {MIN_KEY_CHARACTERS} characters, so it can be guessed. Set"
    why = short if given else "is empty. Unset it, or set"
    return f"Nothing is cached: {KEY_VARIABLE} {why} it to 32 random characters."


def seal(*parts: bytes) -> bytes:
    """Return the signature of these parts, in this order. Raises: ValueError without a key."""
    key = signing_key()
    if key is None:
        raise ValueError("no key")
    return _digest(b"".join(part for each in parts for part in (len(each).to_bytes(8), each)), key)


def is_sealed(given: bytes, *parts: bytes) -> bool:
    """Return whether `given` is the signature of these parts. How long that takes does not depend on the right one."""
    key = signing_key()
    return key is not None and _digest(given, key) == _digest(seal(*parts), key)


def is_plain_file(path: str, most_bytes: int) -> bool:
    """Return whether a regular file of at most so many bytes lies there: no pipe that would never end, and no name of
    a file that lies elsewhere as well."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_size <= most_bytes


def read_kept(path: str, most_bytes: int) -> bytes | None:
    """Return the content of such a file; None where there is none."""
    if not is_plain_file(path, most_bytes):
        return None
    try:
        with open(
            os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)),
            "rb",
        ) as file:
            return file.read(most_bytes)
    except OSError:
        return None


def read_sealed(path: str, most_bytes: int, *parts: bytes) -> bytes | None:
    """Return what `write_sealed` has put into such a file with these parts; None for anything else."""
    read = read_kept(path, most_bytes) or b""
    given = read[:SEAL_BYTES]
    content = read[SEAL_BYTES:]
    return content if is_sealed(given, *parts, content) else None


def write_sealed(path: str, content: bytes, *parts: bytes) -> None:
    """Keep a content with its signature, which holds for these parts only. Raises: OSError."""
    write_whole(path, seal(*parts, content) + content)


def write_whole(path: str, data: bytes, mode: int = 0o600) -> None:
    """Write a file beside its place, then give it its name; else an old file is as it was. Raises: OSError."""
    written = os.path.join(
        os.path.dirname(path), f".{os.path.basename(path)}.{os.urandom(6).hex()}"
    )
    descriptor = os.open(
        written, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode
    )
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(written, path)
    except BaseException:
        os.unlink(written)
        raise


def _digest(message: bytes, key: bytes = b"") -> bytes:
    return blake2b(message, digest_size=SEAL_BYTES, key=key).digest()


def _read_key(path: str) -> bytes | None:
    """Return the key in a file that is only the user's, and not in the cache, where others may have written it."""
    folder, cache = (os.path.realpath(each) for each in (os.path.dirname(path), cache_folder()))
    if folder == cache or folder.startswith(cache + os.sep):
        return None
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if sys.platform != "win32" and (status.st_uid != os.geteuid() or status.st_mode & 0o077):
        return None
    key = read_kept(path, _KEY_BYTES)
    return key if key is not None and len(key) == _KEY_BYTES else None


def _new_key(path: str) -> bytes | None:
    """Return the key that is made where there is none yet."""
    if os.path.lexists(path) or not is_own_folder(os.path.dirname(path)):
        return None
    try:
        write_whole(
            path, os.urandom(_KEY_BYTES)
        )  # of two builds at once, one signs this time with a key that is gone
    except OSError:
        return None
    return _read_key(path)
