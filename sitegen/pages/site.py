"""The parts that a site has once: its settings and theme ready for use, its assets, and the pages that show no run."""

import hashlib
import html
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

import sitegen
from sitegen import readers
from sitegen.config import Config
from sitegen.html import theme
from sitegen.html.render import Page, Renderer, View
from sitegen.html.theme import Theme
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.redact import ENVIRONMENT, Numbers, Redactor
from sitegen.masking.secret_variables import names_a_secret
from sitegen.model import Entry
from sitegen.numbers.pricing import PriceTable
from sitegen.outcomes.study import has_study
from sitegen.pages import own_pages
from sitegen.pages.chart_parts import CHART_DATA, DrawnCharts
from sitegen.pages.own_pages import OwnPage
from sitegen.pages.trends import Followed
from sitegen.pages.trends.feed import FEED, feed
from sitegen.pages.views import SHAPES, looks, model_class
from sitegen.publish.files import File, Made, own_files, page_file

MODEL_STYLES = "assets/models.css"
LICENSES = "assets/licenses.txt"
NOT_FOUND = Page(
    "404.html", "404.html.jinja", "Page not found", "There is no page at this address.", "", None
)
"""The page that a server shows for an address that leads nowhere."""

_ABOUT_SEARCH = "Full-text search of titles, tasks, paths, summaries and errors of all runs."
SEARCH = Page("search.html", "search.html.jinja", "Search", _ABOUT_SEARCH, "search", None)
"""The page for which the search of all runs stands, with or without script."""

SITEMAP_PAGES = 50_000


@dataclass(frozen=True, slots=True)
class Site:
    """Settings and theme, ready to make pages."""

    config: Config
    redactor: Redactor
    style: Theme
    renderer: Renderer
    prices: PriceTable
    own_files: Mapping[str, bytes]  # the user's files for the top of the site, by path
    own_pages: tuple[OwnPage, ...]
    scan: FinalScan
    digest: bytes  # the digest of everything that every page depends on besides its run

    @classmethod
    def of(cls, config: Config, redactor: Redactor, *, is_strict: bool) -> "Site":
        """Return the site that the settings describe; faults of a theme show here, before any run is read.

        Raises: ConfigError, PublishError.
        """
        style = theme.load(config.theme)
        written = own_pages.read(config, style.templates)
        view = _site_view(config, style, written)
        renderer = Renderer(style, view)
        renderer.compile_own()
        prices = config.price_table
        files = own_files(config)
        scan = FinalScan.of(redactor, config.own_texts(), is_strict=is_strict)
        digest = _digest(config, redactor, style, view, is_strict=is_strict)
        return cls(config, redactor, style, renderer, prices, files, written, scan, digest)

    def colors(self, entries: Sequence[Entry]) -> str:
        """Return all styles that charts of these runs need."""
        return (
            self.style.assets[self.style.asset_paths["site.css"]] + model_styles(entries)
        ).decode()

    def settings_digest(self) -> str:
        """Return the digest of all settings except locations, and of the files that they name."""
        settings = self.config.model_dump_json(exclude=_PATHS_OF_THIS_MACHINE)  # type: ignore[arg-type]
        digest = hashlib.sha256(settings.encode())
        own = ((f"theme:{name}", file) for name, file in self.style.own.items())
        pages = ((each.path, each.text.encode()) for each in self.own_pages)
        charts = ((f"chart:{Path(path).name}", _content(path)) for path in self.config.charts)
        for path, content in [*self.own_files.items(), *pages, *own, *charts]:
            digest.update(
                f"{path}\0{hashlib.sha256(content).hexdigest()}\n".encode("utf-8", "surrogatepass")
            )
        return digest.hexdigest()[:16]

    def with_charts(self, vega: str | None) -> dict[str, object]:
        """Return what templates of pages with live charts are given besides: the site, with the script that draws
        them."""
        return {"site": self.renderer.site.but(vega=vega)}

    def assets(
        self, entries: Sequence[Entry], drawn: DrawnCharts, numbers: Numbers
    ) -> Iterator[File]:
        """Yield what pages load: what comes of runs, which is scanned, and as they are the files of the theme, the
        JavaScript of live charts and the user's own files, which stand in place of any other. `numbers` are those of
        masks in the table of runs, whose filters name what the data of live charts names."""
        of_runs = {MODEL_STYLES: model_styles(entries), **drawn.files}
        licenses = {LICENSES: self.style.licenses} if drawn.bundle else {}
        as_they_are = {**self.style.assets, **drawn.bundle, **licenses, **self.own_files}
        for path, content in {**of_runs, **as_they_are}.items():
            own = deepcopy(numbers) if path == CHART_DATA else None  # the same wherever it is made
            yield File(
                path, None, partial(Made, content), is_scanned=path not in as_they_are, numbers=own
            )

    def files_for_address(
        self, written: Sequence[str], followed: Followed | None = None, findings: str = ""
    ) -> Iterator[File]:
        """Yield what a site gains by knowing its address; `written` is every path so far, `followed` are its
        campaigns, and `findings` how many it has."""
        address = self.config.site_url
        if address is None:
            return
        pages = [path for path in written if path.endswith(".html")]
        title = self.config.title
        files = [
            # A server shows it in place of any page, however deep.
            page_file(NOT_FOUND, self.renderer, None, {"root": address}),
            File("sitemap.xml", None, lambda: Made(sitemap(address, pages))),
            *(
                [File(FEED, None, partial(Made, feed(title, address, followed, findings)))]
                if followed
                else []
            ),
        ]
        yield from (file for file in files if file.path not in self.own_files)


def _content(path: str) -> bytes:
    """Return the bytes of a file; none of one that cannot be read, which the one who needs it says."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


_PATHS = {"__all__": {"path": True}}
_PATHS_OF_THIS_MACHINE = {
    **dict.fromkeys(("output", "static", "pages", "theme", "charts", "task_table"), True),
    "history": {"path": True},
    "baseline": {"path": True},
    "inputs": _PATHS,
    "outcomes": _PATHS,
    "campaigns": {"__all__": {"path": True, "outcomes": _PATHS}},
}


def _digest(
    config: Config, redactor: Redactor, style: Theme, view: View, *, is_strict: bool
) -> bytes:
    """Return the program, and with it the installed readers, counts by its content, which a job of CI that installs it
    anew does not change."""
    program = [
        each
        for place in (Path(sitegen.__file__).parent, *readers.places())
        for each in _digests_of_files(place)
    ]
    theme_digests = [
        (name, hashlib.sha256(text.encode()).digest())
        for name, text in sorted(style.templates.items())
    ]
    masking = redactor.homes, [each for each in redactor.literals if each[1] != ENVIRONMENT]
    values = (config.model_dump_json(), masking, view, theme_digests, is_strict)
    return repr((program, environment(), values)).encode("utf-8", "replace")


# Short-lived tokens that GitHub makes for one job: what an earlier one has read cannot hold them, and in what this one
# reads they are masked.
_OF_ONE_JOB = ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_RUNTIME_TOKEN")


def environment() -> list[str]:
    """Return the versions of Python and the libraries by the names of their metadata, and what the environment holds of
    secrets and of names."""
    parts = [sitegen.__version__, sys.version]
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208
        except OSError:  # a zip file, or a folder that may only be passed through
            names = [f"{folder}.dist-info"]
        parts += sorted(name for name in names if name.endswith((".dist-info", ".egg-info")))
    secrets = sorted(
        name for name in os.environ if names_a_secret(name) and name not in _OF_ONE_JOB
    )
    return [
        *parts,
        *(f"{name}={os.environ.get(name)}" for name in ("HOME", "USERPROFILE", *secrets)),
    ]


def _digests_of_files(place: Path) -> list[tuple[str, bytes]]:
    """Return the digests of a module, or of all files of a package: the path below it, and a digest of the content."""
    files = [
        path
        for path in sorted(place.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]
    return [
        (str(path.relative_to(place)), hashlib.sha256(path.read_bytes()).digest())
        for path in (files if place.is_dir() else [place])
    ]


def _site_view(config: Config, style: Theme, written: Sequence[OwnPage]) -> View:
    """Return what every page knows of the site, before anything is drawn: nothing here depends on a run."""
    return View(
        title=config.title,
        language=config.language,
        version=sitegen.__version__,
        stylesheet=style.asset_paths["site.css"],
        script=style.asset_paths["site.js"],
        chart_script=style.asset_paths["charts.js"],
        share_script=style.asset_paths["charts-share.js"],
        **{
            f"{of}_script": style.asset_paths[f"{of}.js"]
            for of in ("run", "table", "search", "judge", "more")
        },
        vega=None,  # the path of the Vega bundle, on pages with live charts
        url=config.site_url,  # with a slash at its end
        logo=style.logo,
        has_trends=config.follows,
        has_study=has_study(config),
        pages=tuple((each.path, each.title) for each in written),
        robots=config.robots,
        lists_costs=config.cost_basis == "list",
    )


def sitemap(address: str, paths: Sequence[str]) -> bytes:
    """Return the pages for search engines: those of runs last, and no more than a sitemap may hold."""
    ordered = sorted(paths, key=lambda path: (path.startswith("runs/"), path))
    places = "".join(
        f"<url><loc>{html.escape(address + quote(path))}</loc></url>\n"
        for path in ordered[:SITEMAP_PAGES]
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}</urlset>\n'
    ).encode()


def model_styles(entries: Sequence[Entry]) -> bytes:
    """Return one stylesheet that gives each model its colour, and each configuration that of its model and the shape of
    its agent: `--m-<name>` for charts and `.m-<name>` for marks.

    Further models share a grey, since a repeated colour would say that two models are one.
    """
    found = {model_class(name): look for name, look in looks(entries).items()}
    colours = ";".join(f"--m-{name}:var(--{look.colour})" for name, look in found.items())
    marks = "".join(
        f".m-{name}{{fill:var(--m-{name});background:var(--m-{name})}}.l-{name}{{stroke:var(--m-{name})}}\n"
        + (
            f":is(.key,circle).m-{name}{{clip-path:{SHAPES[look.shape]};border-radius:0}}\n"
            if look.shape
            else ""
        )
        for name, look in found.items()
    )
    return (f":root{{{colours}}}\n{marks}" if found else "").encode()
