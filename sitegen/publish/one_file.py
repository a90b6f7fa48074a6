"""A site that goes into one file, such as an archive: whole, or the old file stays as it was.

The files are staged in a folder beside the output, as for a folder, so that any process can write there and the next
build removes what a crash left. Then they are packed into a file in that folder, and one `os.replace` renames it to the
output. An existing file is replaced only if sitegen wrote it.
"""

import base64
import hashlib
import html
import os
import posixpath
import re
import shutil
import stat
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

from sitegen.errors import PublishError, RefusedOutput
from sitegen.publish.manifest import Content, is_file, manifest_parts
from sitegen.publish.publication import NO_JEKYLL, Published
from sitegen.publish.sentences import telling
from sitegen.publish.staging import OnWait, Staged
from sitegen.system.places import MANIFEST

_PACKED_NAME = ".sitegen-packed"
"""The name in the staged site: no page has this name, and no file of the user's that is hidden is published."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form of the one file."""

    name: str  # the name within a sentence, with its article
    pack: Callable[[Path, Mapping[str, Content], Path], None]
    """Writes the last path from the staged site at the first and its files. Raises: OSError, PublishError."""
    is_ours: Callable[
        [Path], bool
    ]  # whether a file is one that a build has written. Raises: OSError.


class OneFile(Staged):
    """A site being written into one file: a `publish.files.Target`, used as `Publication` is."""

    def __init__(
        self,
        output: Path,
        form: Form,
        *,
        inputs: Sequence[Path] = (),
        on_wait: OnWait = lambda _: None,
    ) -> None:
        super().__init__(output, inputs=inputs, on_wait=on_wait)
        self._form = form

    def commit(self) -> Published:
        """Pack the files and give the output its name. Raises: PublishError, RefusedOutput; the old file then stays."""
        packed = Path(self._root, _PACKED_NAME)
        with telling("write to {}", self._shown):
            self._form.pack(Path(self._root), self._files, packed)
            size = packed.stat().st_size
            packed.chmod(0o644)
            self._refuse()  # a build may have taken minutes
            packed.replace(self._output)
        return Published(len(self._files), size, (), tuple(self._left))

    def _refuse(self) -> None:
        """Raise RefusedOutput where something else than an earlier file of ours would be lost."""
        with telling("look at the output {}", self._shown, of=(OSError, ValueError)):
            if self._given.is_symlink():
                advice = "name the file it points to or another"
                raise RefusedOutput(f"the output {self._shown} is a symbolic link, {advice}")
            if not os.path.lexists(self._given):
                return
            if not is_file(self._given):
                raise RefusedOutput(
                    f"the output {self._shown} exists and is not a file, name another"
                )
            if any(path.exists() and path.samefile(self._given) for path in self._inputs):
                raise RefusedOutput(f"the output {self._shown} is an input, name another file")
            if self._given.stat().st_size and not self._form.is_ours(self._given):
                fault = f"the output {self._shown} is there and is not {self._form.name} that sitegen wrote"
                raise RefusedOutput(f"{fault}, name another or move it away")


# A site as a zip archive: the same files give the same bytes, wherever and whenever they are packed.

_TOP = (
    "site/"  # the one folder at the top of an archive: unpacked, it does not mix with what is there
)
_TIME = (1980, 1, 1, 0, 0, 0)
_UNIX = 3


def _pack_zip(site: Path, files: Mapping[str, Content], packed: Path) -> None:
    """Write the archive: what a folder of the site would hold, its manifest included, by name. Raises: OSError."""
    own = {NO_JEKYLL: b""} if NO_JEKYLL not in files else {}
    listed = {**files, **{path: Content.of(data) for path, data in own.items()}}
    own[MANIFEST] = b"".join(manifest_parts(listed))
    with zipfile.ZipFile(packed, "x", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted({*listed, MANIFEST}):
            if path in own:
                archive.writestr(member_of(_TOP + path, len(own[path])), own[path])
                continue
            with (
                (site / path).open("rb") as file,
                archive.open(member_of(_TOP + path, files[path].size), "w") as member,
            ):
                shutil.copyfileobj(file, member, 1_000_000)


def member_of(path: str, size: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(path, _TIME)
    member.create_system = _UNIX
    member.external_attr = (stat.S_IFREG | 0o644) << 16
    member.compress_type = zipfile.ZIP_DEFLATED
    member.file_size = size
    return member


def _is_zip(path: Path) -> bool:
    """Return whether a file is an archive that holds the manifest of a site at its top. Raises: OSError."""
    try:
        with zipfile.ZipFile(path) as archive:
            return not archive.NameToInfo.keys().isdisjoint((_TOP + MANIFEST, MANIFEST))
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return False


ZIP = Form("an archive", _pack_zip, _is_zip)


# A site as one HTML file: its pages one after the other; the browser shows the one that the address names.
#
# The pages arrive finished and scanned. Everything they load goes into the file, and the page's policy allows only
# these scripts and styles, by their digests. A page is addressed by its path, `#runs/a.html`, and the id `money` of the
# fifth page is `u-p5.money` here. The first page keeps its ids, which the script of its table uses. The file omits what
# needs other files (the search, transcripts and the data files) and, because of their size, the collapsed parts of run
# pages (further fields of the run's file) and, unless they are asked for, live charts.

MAX_BYTES = 20_000_000  # the size limit: browsers open larger files slowly

INDEX = "index.html"
_LEFT_OUT = re.compile(
    r"(404|search)\.html|runs/.*/.*"
)  # pages that need other files, and transcripts

_LEFT_OUT_CLASSES = frozenset({"data", "permalink", "raw", "share", "skip"})
"""Classes of links to data files, to a section itself and to `main`, of further fields, and of charts' output."""

_MARK = '<meta name="generator" content="sitegen, one file">'
_HEAD = re.compile(
    rb'<!doctype html>\n<html lang="[^"]*">\n<head>\n(?:<meta [^>]*>\n){2}' + _MARK.encode()
)
"""The beginning of a file written here: any other file could quote the mark alone."""
_IMAGES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webp": "image/webp",
}

_STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
"""Without `:has`, which older browsers lack, all pages are shown."""

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
"""Before the script of the table: its rows are here already. Links that it makes lead to pages of the file."""

_VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "wbr"})
_ENDED_BY_THE_NEXT = frozenset({"dd", "dt", "td", "th", "tr"})
"""Elements whose end tags are optional in HTML: a twentieth of the file."""
_NAMES = frozenset({"id", "for", "name", "form", "list"})
_ARIA = ("aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-details")
_LISTS_OF_NAMES = frozenset((*_ARIA, "headers"))
_LOADED = {
    "data-rows": "rows",
    "data-further": "rows",
    "data-bundle": "bundles",
    "data-charts": "charts",
    **dict.fromkeys(("data-more", "data-judge", "data-share"), "scripts"),
}
"""Attributes that name what a script loads, and the list in which the reader stores it."""

Attributes = list[tuple[str, str | None]]


class _Reader(HTMLParser):
    """Parser of a page, which yields its parts with the names and links of the one file."""

    def __init__(self, path: str, pages: Mapping[str, str], site: Path) -> None:
        """`pages` has all pages of the file by path, with the prefix of their names."""
        super().__init__(convert_charrefs=False)
        self._path, self._pages, self._site = path, pages, site
        self._prefix = pages[path]
        self.before, self.main, self.after, self.title = (
            list[str](),
            list[str](),
            list[str](),
            list[str](),
        )
        """The body before `main`, `main` itself, the rest, and the title, as written."""
        self.head: list[str] = []
        self.language = "en"
        self.loads = defaultdict[str, list[str]](list)
        """Paths of its styles, scripts, rows, and of live charts their bundles (libraries) and charts (data)."""
        self._into: list[str] | None = None
        self._skipped: list[str] = []

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        """Copy an element, unless it is left out or loads something."""
        given = dict(attrs)
        if self._skipped:
            if tag not in _VOID:
                self._skipped.append(tag)
        elif tag == "link" and given.get("rel") == "stylesheet":
            self.loads["styles"].append(self._resolved(given.get("href") or ""))
        elif tag == "script":
            self.loads["scripts"].append(self._resolved(given.get("src") or ""))
            self._skipped.append(tag)
        elif _is_left_out(tag, given):
            self._skipped.append(tag)
        elif tag == "html":
            self.language = given.get("lang") or self.language
        elif tag == "title" and self._into is None:
            self._into = self.title
        elif tag in ("meta", "link"):
            if (
                given.get("name") in ("viewport", "color-scheme", "description")
                or given.get("rel") == "icon"
            ):
                self.head.append(self._written(tag, attrs))
        elif tag == "body":
            self._into = self.before
        elif tag == "main":
            self._into = self.main
        elif self._into is not None:
            self._into.append(self._written(tag, attrs))

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        """Copy an empty element, as in drawings."""
        if not self._skipped and self._into is not None:
            self._into.append(self._written(tag, attrs).removesuffix(">") + "/>")

    def handle_endtag(self, tag: str) -> None:
        """End an element."""
        if self._skipped:
            if tag in self._skipped:
                while self._skipped.pop() != tag:
                    pass
        elif tag == "main":
            self._into = self.after
        elif tag == "body" or (tag == "title" and self._into is self.title):
            self._into = None
        elif self._into is not None and tag not in _ENDED_BY_THE_NEXT:
            self._into.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Copy text as written."""
        if self._into is not None and not self._skipped:
            self._into.append(data)

    def handle_entityref(self, name: str) -> None:
        """Likewise."""
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Likewise."""
        self.handle_data(f"&#{name};")

    def _written(self, tag: str, attrs: Attributes) -> str:
        parts = [tag]
        for name, value in attrs:
            if value is None:
                parts.append(name)
            elif (shown := self._attribute(tag, name, value)) is not None:
                parts.append(f'{name}="{html.escape(shown)}"')
        return f"<{' '.join(parts)}>"

    def _attribute(self, tag: str, name: str, value: str) -> str | None:
        """Return an attribute for the one file; None if its target is not in the file."""
        if name == "href" and tag == "a":
            return self._link(value)
        if name == "src":
            return self._image(value)
        if name in _LOADED:
            self.loads[_LOADED[name]].append(self._resolved(value))
        if name in _LOADED or not self._prefix:
            return value
        if name in _NAMES and tag != "meta":
            return self._prefix + value
        if (
            tag == "use" and name == "href" and not value.startswith("#i-")
        ):  # those are in front of all pages
            return f"#{self._prefix}{value[1:]}"
        if name in _LISTS_OF_NAMES:
            return " ".join(self._prefix + each for each in value.split())
        return value.replace("url(#", f"url(#{self._prefix}")

    def _link(self, address: str) -> str | None:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            return address
        path = self._resolved(address) if parts.path else self._path
        if path not in self._pages:
            return None
        if path == INDEX:
            return f"#{parts.fragment or 'main'}"
        is_place = parts.fragment and "=" not in parts.fragment
        return f"#{self._pages[path]}{parts.fragment}" if is_place else f"#{path}"

    def _image(self, address: str) -> str | None:
        if address.startswith("data:"):
            return address
        path = self._resolved(address)
        kind = _IMAGES.get(posixpath.splitext(path)[1])
        if kind is None or not (self._site / path).is_file():
            return None
        return f"data:{kind};base64,{base64.b64encode((self._site / path).read_bytes()).decode()}"

    def _resolved(self, address: str) -> str:
        """Return the path in the site that an address of this page leads to."""
        return posixpath.normpath(
            posixpath.join(posixpath.dirname(self._path), urlsplit(address).path)
        )


def _is_left_out(tag: str, given: Mapping[str, str | None]) -> bool:
    """Return whether an element is useless in one file, or too large for it."""
    classes = (given.get("class") or "").split()
    return (tag == "a" and "data-search" in given) or not _LEFT_OUT_CLASSES.isdisjoint(classes)


def _pack(
    site: Path, files: Mapping[str, Content], packed: Path, *, live_charts: bool, index_only: bool
) -> None:
    """Write the one file. Raises: OSError, PublishError where it would be too large."""

    def texts(paths: Iterable[str]) -> list[str]:
        return [(site / path).read_text(encoding="utf-8") for path in paths if path in files]

    others = (
        path
        for path in files
        if path.endswith(".html") and path != INDEX and not _LEFT_OUT.fullmatch(path)
    )
    paths = [] if index_only else sorted(others)
    pages = {INDEX: "", **{path: f"u-p{number}." for number, path in enumerate(paths, 1)}}
    index = _Reader(INDEX, pages, site)
    mains: list[str] = []
    styles: dict[str, None] = {}
    size = 0
    for path in pages:
        reader = index if path == INDEX else _Reader(path, pages, site)
        reader.feed((site / path).read_text(encoding="utf-8"))
        reader.close()
        if not reader.main:
            raise PublishError(
                f"{path} has no <main>, of which one HTML file is made; the theme has to have one"
            )
        styles |= dict.fromkeys(reader.loads["styles"])
        name = "main" if path == INDEX else path
        title = "".join(reader.title).replace('"', "&quot;")
        head = f'<main class="page" id="{html.escape(name)}" data-title="{title}">'
        mains.append(f"{head}{''.join(reader.main)}</main>\n")
        size += len(mains[-1].encode())
        if size > MAX_BYTES:
            raise _too_large()
    sheets = [*texts(styles), _STYLE]
    scripts = [
        path
        for path in index.loads["scripts"]
        if live_charts or not path.startswith("assets/charts-")
    ]
    first = [*texts(scripts[:1]), _SCRIPT]
    rows = [_as_script(text) for text in texts(index.loads["rows"])]
    charts: list[str] = []
    bundles: list[str] = []
    if live_charts:
        scripts_of_charts = map(_as_script, texts(index.loads["charts"]))
        charts = [_with_links_to(pages, script) for script in scripts_of_charts]
        bundles = texts(index.loads["bundles"])
    last = [
        *rows,
        *charts,
        *bundles,
        *texts(scripts[1:]),
    ]
    text = "".join(
        (
            f'<!doctype html>\n<html lang="{html.escape(index.language)}">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(first + last, sheets)}">\n',
            f'{_MARK}\n<meta name="referrer" content="no-referrer">\n',
            "\n".join(index.head),
            f"\n<title>{''.join(index.title)}</title>\n",
            *(_element("style", sheet) for sheet in sheets),
            *(_element("script", script) for script in first),
            "</head>\n<body>",
            *index.before,
            *mains,
            *index.after,
            *(_element("script", script) for script in last),
            "</body>\n</html>\n",
        )
    )
    data = text.encode()
    if len(data) > MAX_BYTES:
        raise _too_large()
    packed.write_bytes(data)


def _policy(scripts: list[str], styles: list[str]) -> str:
    """Return the policy that allows these texts and nothing else, requests included."""
    return (
        f"default-src 'none'; script-src {_digests(scripts)}; style-src {_digests(styles)}; img-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def _digests(texts: list[str]) -> str:
    found = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in found)


def _element(tag: str, text: str) -> str:
    """Return a text as the content of an element. Raises: PublishError where it would end the element itself."""
    if f"</{tag}" in text.lower() or "<!--" in text:
        raise PublishError(
            f"a {tag} of the theme holds </{tag} or <!--, which cannot be part of one HTML file"
        )
    return f"<{tag}>{text}</{tag}>\n"


def _as_script(rows: str) -> str:
    """Return a data script whose texts cannot end an element: `<` occurs only in strings."""
    return rows.replace("<", "\\u003c")


def _with_links_to(pages: Mapping[str, str], data: str) -> str:
    """Return the data of charts, with the links of marks pointing to pages of the file. Quotes within texts are escaped
    differently."""
    link = r'\\"page\\":\\"([^"\\]+)\\"'
    return re.sub(
        link, lambda found: rf"\"page\":\"#{found[1]}\"" if found[1] in pages else found[0], data
    )


def _too_large() -> PublishError:
    return PublishError(
        f"one HTML file of this site would have more than {MAX_BYTES // 1_000_000} MB, which browsers open slowly; "
        "name a folder or a .zip as the output, or fewer runs; nothing was published and an old file is as it was"
    )


def _is_ours(path: Path) -> bool:
    """Return whether a file is one HTML file of a site. Raises: OSError."""
    with path.open("rb") as file:
        return _HEAD.match(file.read(16_000)) is not None


_OTHER_FILES = frozenset(
    {".pdf", ".htm", ".md", ".csv", ".json", ".tex", ".gz", ".tgz", ".tar", ".xz", ".7z", ".docx"}
)
"""Extensions that a site cannot have: somebody who names such an output does not expect a folder."""


def form_of(output: Path, *, live_charts: bool = False, index_only: bool = False) -> Form | None:
    """Return the form of the one file that the extension of the output asks for; None for a folder.

    Raises: RefusedOutput for the name of another file, unless it is a folder.
    """
    if output.suffix.lower() in _OTHER_FILES and not output.is_dir():
        hint = (
            "for a PDF print a page of it"
            if output.suffix.lower() == ".pdf"
            else "`sitegen export` writes data"
        )
        raise RefusedOutput(
            f"{output}: a site is a folder, one .html file or one .zip file; {hint}"
        )
    if output.suffix.lower() == ".html":
        pack = partial(_pack, live_charts=live_charts, index_only=index_only)
        return Form("one HTML file of a site", pack, _is_ours)
    return ZIP if output.suffix.lower() == ".zip" else None
