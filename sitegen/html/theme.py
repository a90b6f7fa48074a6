"""Templates and assets as contents, not as paths: the built-in ones, and over them those of the user's folder.

A `Theme` is a plain value: it can be sent to another process. The built-in stylesheets and scripts are laid out for
readers and minified here; files of the user's folder stay as they are. All are joined and named by their content, so
that a browser never mixes two builds. The scripts are modules in `static/src`, of which a user's folder may replace any.
"""

import difflib
import hashlib
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import ConfigError, PublishError
from sitegen.html import scripts

STYLES = (
    "tokens.css",
    "site.css",
    "content.css",
    "first.css",
    "prose.css",
    "conditions.css",
    "print.css",
    "table.css",
    "charts.css",
    "compare.css",
    "code.css",
    "run.css",
    "steps.css",
    "search.css",
    "trends.css",
)
"""Joined in this order into one stylesheet; colours first."""

SCRIPTS = (
    "site.js",
    "search.js",
    "table.js",
    "more.js",
    "charts.js",
    "charts-share.js",
    "run.js",
    "judge.js",
)
"""Modules that pages load, each with all that it imports: see scripts.py."""

LOGOS = ("logo.svg", "logo.png")
"""The logos that a user's folder may add; no built-in file has these names."""

BUILT_IN = "builtin/"
"""Before the name of a template: the built-in one, also where the user's folder replaces it."""

NOTES = ("readme", "license", "licence", "copying")
"""Files of a folder that are about it and no part of it, by the beginning of their names."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The sources of pages: template sources by name, and assets by their path in the site."""

    templates: Mapping[str, str]
    """The templates by plain name; the built-in ones also with BUILT_IN before it."""
    assets: Mapping[str, bytes]
    asset_paths: Mapping[str, str]
    """Plain name ("site.css") -> path in the site ("assets/site-1a2b3c4d.css")."""
    licenses: bytes  # licence texts of the libraries in the Vega bundle
    folder: str | None  # the user's folder as errors name it; None for the built-in look
    own: Mapping[str, bytes]  # the files of the user's folder by name

    @property
    def logo(self) -> str | None:
        """Path of the logo in the site."""
        return next((self.asset_paths[name] for name in LOGOS if name in self.asset_paths), None)

    def origin(self, template: str) -> str:
        """Return the file that a template came from, as errors name it."""
        name = template.removeprefix(BUILT_IN)
        return f"{self.folder}/{name}" if template in self.own else BUILT_IN + name


def folder() -> Path:
    """Return the folder that holds the templates: inside the installed package, else beside it in a checkout.

    Raises: PublishError when neither exists.
    """
    package = Path(__file__).parent.parent
    places = (package / "templates", package.parent / "templates")
    for place in places:
        if (place / "base.html.jinja").is_file():
            return place
    raise PublishError(
        f"The templates of sitegen are missing: neither {places[0]} nor {places[1]} holds them."
    )


def load(own_folder: str | None = None) -> Theme:
    """Return the built-in theme, with the files of the user's folder in place of those of the same name.

    `tokens.css` replaces nothing: it is added behind the built-in styles, so that what it says wins and the rest stays.

    Raises: ConfigError when the folder or a file in it cannot be used.
    """
    root = folder()
    templates = {
        path.name: path.read_text(encoding="utf-8") for path in sorted(root.glob("*.jinja"))
    }
    modules = {path.name: path for path in sorted((root / "static" / "src").glob("*.js"))}
    own = (
        {}
        if own_folder is None
        else _read_own(Path(own_folder), [*templates, *STYLES, *modules, *LOGOS])
    )
    sources = {name: path.read_text(encoding="utf-8") for name, path in modules.items()}
    sources |= {name: own[name].decode("utf-8") for name in own.keys() & modules.keys()}
    contents = {name: own[name] for name in LOGOS if name in own}
    contents["site.css"] = _join_styles(root / "static", own)
    places = {name: f"{own_folder}/{name}" for name in own}
    for name in SCRIPTS:
        contents[name] = _join_script(scripts.order_modules(name, sources, places), own)
    paths = {name: hashed_path(name, content) for name, content in contents.items()}
    named = {BUILT_IN + name: source for name, source in templates.items()}
    named |= {
        name: own[name].decode("utf-8") if name in own else source
        for name, source in templates.items()
    }
    assets = {paths[name]: content for name, content in contents.items()}
    return Theme(
        named, assets, paths, (root / "static" / "vega-licenses.txt").read_bytes(), own_folder, own
    )


def _join_styles(folder: Path, files: Mapping[str, bytes]) -> bytes:
    """Return all stylesheets as one, with those of the user's folder in place of built-in ones, and its tokens behind."""
    replaced = files.keys() - {"tokens.css"}
    parts = []
    for name in STYLES:
        parts.append(files[name] if name in replaced else _minify(folder / name))
    return b"".join([*parts, files.get("tokens.css", b"")])


def _join_script(parts: Mapping[str, str], replaced: Container[str]) -> bytes:
    """Return modules as one function. Those of the user's folder stay as they are.

    rjsmin takes two spaces for one in a template literal within another, where they mean something. The built-in
    modules have no such literals, and a test compares the syntax trees.
    """
    from rjsmin import jsmin

    body = []
    for name, part in parts.items():
        body.append(part if name in replaced else str(jsmin(part)))
    return '"use strict";\n(() => {{\n{}\n}})();\n'.format("\n".join(body)).encode()


def _minify(path: Path) -> bytes:
    """Return a built-in stylesheet without its comments and without white space that says nothing."""
    from rcssmin import cssmin  # here, since only a build needs it

    return str(cssmin(path.read_text(encoding="utf-8"))).encode()


def _read_own(place: Path, known: list[str]) -> dict[str, bytes]:
    """Return the files of the user's folder by name, sorted. Hidden files and NOTES are not among them.

    Raises: ConfigError, with a paragraph for each file that cannot be used.
    """
    if not place.is_dir():
        raise ConfigError(f"theme: there is no folder {place}.")
    own = {}
    faults = []
    for path in sorted(place.iterdir()):
        if not path.name.startswith(".") and not path.name.lower().startswith(NOTES):
            try:
                own[path.name] = _content(path, known)
            except ConfigError as fault:
                faults.append(str(fault))
    if all(name in own for name in LOGOS):
        faults.append(f"{place / LOGOS[1]}: {LOGOS[0]} is there too, and a site has one logo.")
    if faults:
        raise ConfigError("\n\n".join(faults))
    return own


def _content(path: Path, known: list[str]) -> bytes:
    """Return the content of a file of the user's folder. Raises: ConfigError when it cannot be used."""
    if path.is_symlink():
        advice = "put the file itself there, so that nothing from elsewhere is published."
        raise ConfigError(f"{path}: it is a link; {advice}")
    if path.name not in known:
        near = difflib.get_close_matches(path.name, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise ConfigError(f"{path}: it replaces nothing, sitegen has no file of this name{hint}")
    if not path.is_file():
        raise ConfigError(f"{path}: it is not a file.")
    try:
        content = path.read_bytes()
        if path.name not in LOGOS:
            content.decode("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: it cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path}:{error.object.count(10, 0, error.start) + 1}: this is not UTF-8 text."
        ) from None
    return content


def hashed_path(name: str, content: bytes) -> str:
    """Return `assets/<stem>-<8 hex of the content>.<extension>`."""
    stem, _, extension = name.rpartition(".")
    return f"assets/{stem}-{hashlib.blake2b(content, digest_size=4).hexdigest()}.{extension}"
