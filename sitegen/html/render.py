"""The way from a page's view to its bytes: `render` returns, it never writes.

Escaping is on for everything. The one way past it is the filter `html`, which takes only what `markdown` and
`charts` have made safe; it stands here and nowhere else.
"""

import contextlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import metadata
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import jinja2
from jinja2.bccache import Bucket
from markupsafe import Markup

from sitegen.errors import ConfigError
from sitegen.figures import with_moments
from sitegen.html.theme import BUILT_IN, Theme, folder

_ENVIRONMENT = partial(
    jinja2.Environment,
    autoescape=True,  # select_autoescape is off for *.html.jinja
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


class View(SimpleNamespace):
    """The data of one template. Its fields are named where it is made, with what they mean where the name does not say
    it. Values that several pages or templates share have classes of their own."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a view does not change: {name}")

    def but(self, **changed: object) -> "View":
        """Return the same with other values of some fields."""
        return View(**{**vars(self), **changed})


@dataclass(frozen=True, slots=True)
class Page:
    """A file of the site that a template makes."""

    path: str  # relative to the site's top, with slashes
    template: str
    title: str
    description: str
    section: str  # the entry of the navigation that it belongs to
    view: object


@dataclass(frozen=True)
class Renderer:
    """A theme, ready to make pages of one site."""

    theme: Theme
    site: View

    def __reduce__(self) -> "tuple[type[Renderer], tuple[Theme, View]]":
        """Another process makes its own environment, which cannot be sent."""
        return Renderer, (self.theme, self.site)

    @property
    def _own(self) -> list[str]:
        """The templates of the user's theme."""
        return sorted(self.theme.own.keys() & self.theme.templates.keys())

    @cached_property
    def _environment(self) -> jinja2.Environment:
        environment = _ENVIRONMENT(
            loader=jinja2.FunctionLoader(self._source),
            bytecode_cache=None if self._own else _CompiledTemplates(),
        )
        environment.filters["html"] = Markup  # the one audited way past escaping
        environment.filters["moments"] = with_moments
        environment.globals["site"] = self.site
        return environment

    def _source(self, name: str) -> tuple[str, str, Callable[[], bool]] | None:
        """Return a template with the name that its file has in errors."""
        source = self.theme.templates.get(name)
        return None if source is None else (source, self.theme.origin(name), lambda: True)

    def compile_own(self) -> None:
        """Compile the templates of the user's theme, so that their faults show before any run is read.

        Raises: ConfigError, with file and line.
        """
        for name in self._own:
            try:
                self._environment.get_template(name)
            except jinja2.TemplateSyntaxError as error:
                what = str(error.message).rstrip(".")
                raise ConfigError(f"{error.filename}:{error.lineno}: {what}.") from None

    def render(self, page: Page, texts: Mapping[str, object] | None = None) -> bytes:
        """Return the page as UTF-8. `texts` holds what was read again for it and is in no view.

        Raises: ConfigError, with file and line, when a template of the user's theme fails.
        """
        depth = len(PurePosixPath(page.path).parts) - 1
        context = {"page": page, "view": page.view, "root": "../" * depth, **(texts or {})}
        try:
            return (
                self._environment.get_template(page.template)
                .render(context)
                .encode("utf-8", "replace")
            )
        except Exception as error:
            fault = self._fault_of_theme(error)
            if fault is None:
                raise
            raise ConfigError(f"{fault}. {page.path} was being made.") from error

    def _fault_of_theme(self, error: Exception) -> str | None:
        """Return where and how a template failed, when that is the fault of the user's theme.

        A built-in template can fail by it too: by a macro that it imports and that is gone.
        """
        own = {self.theme.origin(name): name in self.theme.own for name in self.theme.templates}
        frames = (
            (frame.f_code.co_filename, line)
            for frame, line in traceback.walk_tb(error.__traceback__)
        )
        places = [place for place in frames if place[0] in own]
        if not any(own.values()) or not places:
            return None
        file, line = places[-1]
        if not own[file] and not isinstance(error, jinja2.TemplateError):
            return None
        match error:
            case RecursionError():
                what = f"it extends or includes itself; the built-in template is {BUILT_IN}{PurePosixPath(file).name}"
            case jinja2.TemplateNotFound():
                what = f"there is no template '{error.name}'"
            case jinja2.TemplateError():
                what = str(error)
            case _:
                what = f"{type(error).__name__}: {error}"
        return f"{file}:{line}: {what}"


class _CompiledTemplates(jinja2.FileSystemBytecodeCache):
    """The compiled built-in templates, kept where Python keeps the compiled modules of the package and only where it
    may. The cache folder holds no code, since a job of CI may have it from another one."""

    def __init__(self) -> None:
        place = Path(importlib.util.cache_from_source(str(folder() / "module.py"))).parent
        super().__init__(str(place), f"%s.{sys.implementation.cache_tag}.jinja")

    def get_source_checksum(self, source: str) -> str:
        """Return the checksum of a template and of everything else that decides what it is compiled to."""
        return super().get_source_checksum(
            f"{_ENVIRONMENT.keywords}{metadata.version('jinja2')}{source}"
        )

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill it, if that can be."""
        try:
            super().load_bytecode(bucket)
        except Exception:  # what is not as it was kept may be anything
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it, if that can be."""
        if sys.dont_write_bytecode:
            return
        with contextlib.suppress(OSError):
            place = Path(self.directory)
            place.mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)
            mode = (folder() / "base.html.jinja").stat().st_mode
            (place / (self.pattern % bucket.key)).chmod(mode)  # jinja2 lets nobody else read it
