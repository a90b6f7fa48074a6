"""What must hold for every site, whatever it was built from. A check returns its findings: none is well.

Any test that builds a site can ask these questions of it, so that no site is built in a test unseen.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

import html5lib
from html5lib.constants import E as MESSAGES

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'none'; base-uri 'none'; form-action 'none'"
)
XLINK = "{http://www.w3.org/1999/xlink}href"
LINKING = ("href", "src", XLINK, "action", "formaction", "poster", "data", "srcset")
REFERRING = ("for", "aria-controls", "aria-describedby", "aria-labelledby", "headers", "list")
OUTSIDE = ("https", "http", "mailto")


def pages(site: Path) -> list[Path]:
    """All pages, sorted."""
    return sorted(site.rglob("*.html"))


def kinds(site: Path) -> dict[str, Path]:
    """One page of every kind: those at the top by name, a run of each status, the first of other folders."""
    found = {page.stem: page for page in sorted(site.glob("*.html"))}
    for run in json.loads((site / "data" / "runs.json").read_text(encoding="utf-8"))["runs"]:
        found.setdefault(f"run-{run['status']}", site / run["page"])
    for folder in sorted({page.parent for page in pages(site)} - {site, site / "runs"}):
        found[folder.name] = min(folder.glob("*.html"))
    return found


def findings(site: Path) -> list[str]:
    """All that can be checked without a browser."""
    return [*check_html(site), *check_links(site), *check_policy(site)]


@dataclass(frozen=True)
class Document:
    """A parsed page."""

    root: Element
    errors: tuple[str, ...]
    ids: tuple[str, ...]

    @property
    def elements(self) -> list[Element]:
        """All elements, in the order of the page."""
        return [element for element in self.root.iter() if isinstance(element.tag, str)]


@cache
def parsed(page: Path) -> Document:
    """The page as an HTML5 parser reads it, with everything that it had to forgive."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    root = parser.parse(page.read_bytes(), transport_encoding="utf-8")
    errors = tuple(
        f"{page.name}:{line}:{column}: {MESSAGES[code] % detail}"
        for (line, column), code, detail in parser.errors
    )
    ids = tuple(element.attrib["id"] for element in root.iter() if "id" in element.attrib)
    return Document(root, errors, ids)


def check_html(site: Path) -> list[str]:
    """Pages that are not strict HTML5, repeat an id, or lack language, title, description or the one `h1`."""
    findings: list[str] = []
    for page in pages(site):
        document = parsed(page)
        name = page.relative_to(site)
        findings += document.errors
        findings += [
            f"{name}: the id {id_!r} stands {count} times" for id_, count in _repeated(document.ids)
        ]
        tags = Counter(element.tag for element in document.elements)
        described = any(
            e.get("name") == "description" and e.get("content") for e in document.elements
        )
        if not document.root.get("lang"):
            findings.append(f"{name}: no language")
        if not (document.root.findtext("head/title") or "").strip():
            findings.append(f"{name}: no title")
        if not described:
            findings.append(f"{name}: no description")
        if tags["h1"] != 1:
            findings.append(f"{name}: {tags['h1']} h1")
    return findings


def _repeated(ids: tuple[str, ...]) -> list[tuple[str, int]]:
    return [(id_, count) for id_, count in Counter(ids).items() if count > 1]


def check_links(site: Path) -> list[str]:
    """Links that lead nowhere, lead out of the folder, or work on a server only; pages that nothing links to.

    Excludes whether addresses on the web exist: only `a`, the canonical link and the feed have one. Excludes the page
    that a server shows for others, which nothing links to and whose links are absolute.
    """
    findings = []
    linked = {site / "index.html"}
    linking = [page for page in pages(site) if page != site / "404.html"]
    for page in linking:
        document = parsed(page)
        name = page.relative_to(site)
        for element, link in _links(document):
            what = f"{name}: <{element.tag}> {link!r}"
            parts = urlsplit(link)
            if parts.scheme == "data" and element.tag in ("link", "img"):
                continue
            if parts.scheme in OUTSIDE and (
                element.tag == "a" or element.get("rel") in ("canonical", "alternate")
            ):
                continue
            if parts.scheme or parts.netloc or parts.path.startswith("/"):
                findings.append(f"{what} is not relative")
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.is_relative_to(site.resolve()) and target != page:
                findings.append(f"{what} leaves the folder")
            elif not target.is_file():
                findings.append(f"{what} is not a file")
            elif "=" in parts.fragment:  # a view of the table
                continue
            elif parts.fragment and unquote(parts.fragment) not in parsed(_same(target, page)).ids:
                findings.append(f"{what} names no id")
            else:
                linked.add(site / target.relative_to(site.resolve()) if parts.path else page)
        findings += [f"{name}: {reference} names no id" for reference in _dangling(document)]
    lost = [page.relative_to(site) for page in linking if page not in linked]
    return [*findings, *(f"{name}: nothing links to it" for name in lost), *_dead_in_data(site)]


def _same(target: Path, page: Path) -> Path:
    """The page itself when it is the target, so that each page is parsed once."""
    return page if target == page.resolve() else target


def _links(document: Document) -> Iterator[tuple[Element, str]]:
    for element in document.elements:
        for name in LINKING:
            if name in element.attrib:
                yield element, element.attrib[name]


def _dangling(document: Document) -> Iterator[str]:
    """References between elements of one page that name no id."""
    for element in document.elements:
        for name in REFERRING:
            for id_ in element.attrib.get(name, "").split():
                if id_ not in document.ids:
                    yield f"{name}={id_!r}"


def _dead_in_data(site: Path) -> Iterator[str]:
    """Run pages that data and scripts name and that do not exist; addresses that stylesheets load."""
    for file in sorted(site.rglob("*")):
        if file.suffix in (".js", ".json", ".csv") and not file.name.startswith("."):
            for name in sorted(
                set(re.findall(r"runs/[a-z0-9-]+\.html", file.read_text(encoding="utf-8")))
            ):
                if not (site / name).is_file():
                    yield f"{file.relative_to(site)}: {name} is not a file"
        if file.suffix == ".css":
            for address in re.findall(r"url\(([^)]*)\)|@import", file.read_text(encoding="utf-8")):
                if not address.strip("'\" ").startswith("data:"):
                    yield f"{file.relative_to(site)}: loads {address!r}"


def check_policy(site: Path) -> list[str]:
    """Pages whose policy is not the one policy, does not come first, or that hold what the policy refuses."""
    findings = []
    for page in pages(site):
        document = parsed(page)
        name = page.relative_to(site)
        head = [
            element
            for element in document.root.find("head") or ()
            if "charset" not in element.attrib
        ]
        if (
            head[0].get("http-equiv") != "Content-Security-Policy"
            or head[0].get("content") != POLICY
        ):
            findings.append(f"{name}: the policy is not what comes first")
        findings += [
            f"{name}: {fault}" for element in document.elements for fault in _refused(element)
        ]
    return findings


def _refused(element: Element) -> Iterator[str]:
    for attribute in element.attrib:
        if attribute == "style" or attribute.startswith("on"):
            yield f"<{element.tag} {attribute}>"
    if element.tag in ("style", "base", "iframe", "object", "embed", "form"):
        yield f"<{element.tag}>"
    if (
        element.tag == "script"
        and "src" not in element.attrib
        and element.get("type") != "application/json"
    ):
        yield "<script> without src"
    if element.get("http-equiv", "").lower() == "refresh":
        yield "<meta http-equiv=refresh>"


@dataclass
class Watch:
    """Collects what a browser complains about, and every request that leaves the folder."""

    home: str
    """Addresses that begin with this are the site's own."""
    findings: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext) -> Watch:
        """Watch all pages of the context that are opened from now on."""
        context.on("console", lambda message: self._said(message.type, message.text))
        context.on("weberror", lambda error: self.findings.append(f"exception: {error.error}"))
        context.on("request", lambda request: self._requested(request.url))
        context.on("requestfailed", lambda request: self._failed(request.url, request.failure))
        context.on("dialog", self._asked)
        return self

    def _said(self, level: str, text: str) -> None:
        self.findings.append(f"console {level}: {text}")

    def _failed(self, url: str, why: str | None) -> None:
        if why != "net::ERR_ABORTED":  # the page was left while it still loaded
            self.findings.append(f"failed: {url}")

    def _requested(self, url: str) -> None:
        if not url.startswith((self.home, "data:", "blob:")):
            self.findings.append(f"request: {url}")

    def _asked(self, dialog: Any) -> None:
        self.findings.append(f"dialog: {dialog.message}")
        dialog.dismiss()


def accessibility(page: Page) -> list[str]:
    """Violations that axe-core finds on an open page."""
    from axe_playwright_python.sync_playwright import Axe

    rules = {
        "rules": {"target-size": {"enabled": True}}
    }  # of WCAG 2.2, which axe leaves out unless asked
    violations = Axe().run(page, options=rules).response["violations"]
    return [f"{v['id']}: {n['target']} {n['html'][:160]}" for v in violations for n in v["nodes"]]
