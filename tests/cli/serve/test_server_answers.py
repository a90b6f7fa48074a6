"""Answers of the server to single requests, and the news that it keeps."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

import pytest

from sitegen.cli.serve import server
from sitegen.cli.serve.server import Handler, News, _Server, _type_of
from tests.support import campaigns

SCRIPT = _type_of("x.js")  # Python 3.12 has another name for it


class Site:
    """A server in this process, with its folder and its news."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.news = folder, News()
        self.server = _Server(("127.0.0.1", 0), partial(Handler, folder=folder, news=self.news))
        self.port = self.server.server_address[1]

    def ask(
        self, path: str, method: str = "GET", hosts: tuple[str, ...] | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, heads and content of an answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, path, skip_host=True)
        for host in (f"127.0.0.1:{self.port}",) if hosts is None else hosts:
            connection.putheader("Host", host)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        heads = {name: value for name, value in answer.getheaders() if name not in ("Date",)}
        return answer.status, heads, content


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A server of an empty folder."""
    served = Site(tmp_path)
    thread = threading.Thread(target=served.server.serve_forever, args=(0.01,))
    thread.start()
    yield served
    served.server.shutdown()
    thread.join()
    served.server.server_close()


def script(number: int) -> bytes:
    return (
        '<script src="/.sitegen-serve/live.js" data-own="/.sitegen-serve/" '
        f'data-number="{number}"></script>\n'
    ).encode()


def test_a_page_is_sent_with_its_script_and_heads(site: Site) -> None:
    page = b"<body>One</body></html>\n"
    campaigns.write(site.folder, {"site/index.html": page, "site/runs/a.html": b"No end"})
    status, heads, content = site.ask("/")
    shown = b"<body>One" + script(site.news.number) + b"</body></html>\n"
    assert (status, content) == (200, shown)
    assert heads == {
        "Server": "sitegen ",
        "Content-Type": "text/html; charset=utf-8",
        "Content-Length": str(len(shown)),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Content-Security-Policy": "frame-ancestors 'none'",
        "Referrer-Policy": "no-referrer",
    }
    assert site.ask("/index.html")[2] == shown
    assert site.ask("/runs/a.html?x=1")[2] == b"No end" + script(site.news.number)
    assert site.ask("/", "HEAD")[1:] == (heads, b"")


def test_other_files_are_sent_as_they_are(site: Site) -> None:
    campaigns.write(
        site.folder, {"site/a b.csv": b"x</body>", "site/runs/index.html": "R", "site/ä.json": "{}"}
    )
    status, heads, content = site.ask("/a%20b.csv")
    assert (status, heads["Content-Type"], content) == (200, "text/csv; charset=utf-8", b"x</body>")
    assert site.ask("/%C3%A4.json")[1]["Content-Type"] == "application/json; charset=utf-8"
    status, heads, content = site.ask("/runs")
    assert (status, heads["Location"], content) == (302, "/runs/", b"")
    assert site.ask("/runs/")[0] == 200


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.html", "text/html; charset=utf-8"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.json", "application/json; charset=utf-8"),
        ("a.xml", "text/xml; charset=utf-8"),
        ("a.svg", "image/svg+xml; charset=utf-8"),
        ("a.png", "image/png"),
        ("a.unheard", "application/octet-stream"),
    ],
)
def test_a_type_is_told_by_the_name(name: str, kind: str) -> None:
    assert _type_of(name) == kind


def test_scripts_are_text_in_utf_8() -> None:
    assert SCRIPT in ("text/javascript; charset=utf-8", "application/javascript; charset=utf-8")


def test_before_the_first_build_and_for_what_is_missing_there_are_pages(site: Site) -> None:
    status, heads, content = site.ask("/")
    assert (status, heads["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert b"<title>Building the site</title>" in content
    assert b"The site is built for the first time. It is shown here as soon as it is ready." in (
        content
    )
    assert script(site.news.number) in content
    campaigns.write(site.folder, {"site/index.html": "I"})
    content = site.ask("/none.html")[2]
    assert b"<title>Not in the site</title>" in content
    assert b"There is no such page, or not any more. It is shown here as soon as there is one." in (
        content
    )
    campaigns.write(site.folder, {"site/404.html": "<body>Own</body>"})
    assert site.ask("/none.html")[2] == b"<body>Own" + script(site.news.number) + b"</body>"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret",
        "/runs/../../secret",
        "/./runs/a.html",
        "/runs//a.html",
        "/a%5Cb",
        "/C:x",
        "/%00",
    ],
)
def test_a_path_that_leads_elsewhere_is_not_in_the_site(path: str, site: Site) -> None:
    campaigns.write(site.folder, {"secret": "s", "site/runs/a.html": "I", "site/C:x": "c"})
    (site.folder / "site/a\\b").write_text("b")
    assert site.ask(path)[0] == 404


def test_a_link_out_of_the_site_is_not_followed_and_one_within_is(site: Site) -> None:
    campaigns.write(site.folder, {"secret": "s", "site/a.csv": "a"})
    (site.folder / "site/out.csv").symlink_to(site.folder / "secret")
    (site.folder / "site/in.csv").symlink_to(site.folder / "site/a.csv")
    assert site.ask("/out.csv")[0] == 404
    assert site.ask("/in.csv")[2] == b"a"


def test_only_its_own_names_are_answered(site: Site) -> None:
    campaigns.write(site.folder, {"site/index.html": "I"})
    port = site.port
    for hosts in (f"127.0.0.1:{port}",), (f"localhost:{port}",), (f"LOCALHOST:{port}",):
        assert site.ask("/", hosts=hosts)[0] == 200
    own = f"127.0.0.1:{port}"
    for hosts in ("127.0.0.1",), ("localhost",), (f"example.org:{port}",), (own, own), ():
        status, heads, content = site.ask("/", hosts=hosts)
        assert (status, heads["Content-Type"]) == (403, "text/plain; charset=utf-8")
        assert content.decode() == (
            f"sitegen serve answers only as http://127.0.0.1:{port} and http://localhost:{port}.\n"
        )


@pytest.mark.parametrize(
    ("comes_from", "is_for", "status"),
    [
        ("none", "document", 200),
        ("same-origin", "script", 200),
        ("none", "script", 200),
        ("cross-site", "document", 200),
        ("cross-site", "script", 403),
        ("same-site", "image", 403),
        ("cross-site", "iframe", 403),
    ],
)
def test_pages_of_other_sites_get_nothing(
    comes_from: str, is_for: str, status: int, site: Site
) -> None:
    campaigns.write(site.folder, {"site/index.html": "I"})
    answer = site.ask("/", Sec_Fetch_Site=comes_from, Sec_Fetch_Dest=is_for)
    assert answer[0] == status
    assert (answer[2] == b"sitegen serve sends nothing to pages of other sites.\n") == (
        status == 403
    )


def test_the_own_script_is_sent(site: Site) -> None:
    status, heads, content = site.ask("/.sitegen-serve/live.js")
    assert (status, heads["Content-Type"]) == (200, SCRIPT)
    assert content == (Path(server.__file__).parent / "live.js").read_bytes()


def test_news_are_a_call_of_the_script(site: Site) -> None:
    first = site.news.number
    site.news.tell(["b.html", "a.html"], None)

    def asked(query: str) -> object:
        status, heads, content = site.ask(f"/.sitegen-serve/news.js{query}")
        assert (status, heads["Content-Type"]) == (200, SCRIPT)
        text = content.decode()
        assert text.startswith("sitegenServe(")
        assert text.endswith(");")
        return json.loads(text[len("sitegenServe(") : -2])

    told = {"number": first + 1, "changed": ["a.html", "b.html"], "fault": None}
    assert asked(f"?{first}") == told
    assert asked(f"?{first + 1}&now") == {**told, "changed": []}
    for odd in ("", "?x", "?%C2%B2", f"?{'9' * 5_000}"):
        assert asked(odd) == {**told, "changed": None}


# News


def test_news_tell_what_changed_since_each_number() -> None:
    news = News()
    first = news.number
    news.tell(["a", "b"], None)
    news.tell(["b"], "It broke.")
    assert news.after(first, must_wait=False)["changed"] == ["a", "b"]
    assert news.after(first + 1, must_wait=False)["changed"] == ["b"]
    assert news.after(first + 2, must_wait=False) == {
        "number": first + 2,
        "changed": [],
        "fault": "It broke.",
    }
    assert news.after(first + 3, must_wait=False)["changed"] is None
    news.tell([], None)
    assert news.after(first + 2, must_wait=False) == {
        "number": first + 3,
        "changed": [],
        "fault": None,
    }


def test_news_of_nothing_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    news = News()
    monkeypatch.setattr(server, "_WAIT_SECONDS", 20)
    threading.Timer(0.02, news.tell, (["a"], None)).start()
    assert news.after(news.number, must_wait=True)["changed"] == ["a"]
    monkeypatch.setattr(server, "_WAIT_SECONDS", 0.01)
    assert news.after(news.number, must_wait=True)["changed"] == []
