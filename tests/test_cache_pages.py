"""What stands on pages and in scripts, drawings and layouts of a forged cache is not published."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sitegen.cache import memory, unchanged
from sitegen.cache.seal import SEAL_BYTES, seal
from sitegen.charts import charts, engine, kept
from sitegen.html import kept_pages
from sitegen.html.data_scripts import is_script
from tests.support.campaigns import BARE
from tests.support.forging import RUNS, WRONG, Campaign, Value, is_html, packed, unpacked

pytestmark = pytest.mark.slow

TOKEN = "ghp_" + hashlib.sha256(b"token").hexdigest()[:36]


@pytest.fixture(scope="module", autouse=True)
def young() -> Iterator[None]:
    """Files that these tests write count as old enough to be trusted."""
    with pytest.MonkeyPatch.context() as patched:
        for module in (memory, unchanged):
            patched.setattr(module, "YOUNG_NS", -(10**15))
        yield


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Without figures there are no charts to draw."""
    return Campaign(tmp_path_factory.mktemp("bare"), BARE)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return Campaign(tmp_path_factory.mktemp("drawn"), {})


def inserted(text: str, before: str = "</main>") -> Callable[[str], str]:
    return lambda page: page.replace(before, text + before, 1)


def replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda page: page.replace(old, new, 1)


HOSTILE: dict[str, Callable[[str], str]] = {
    name: inserted(text)
    for name, text in {
        "script": "<script>forged()</script>",
        "script of the site, in capitals": '<SCRIPT src="../assets/x.js"></SCRIPT>',
        "foreign script": '<script src="https://evil.example/forged.js"></script>',
        "other script of the site": '<script src="../search/texts-0.js"></script>',
        "script between scripts": '<script <script src="x"></script> src="//evil.example/forged.js"></script>',
        "refresh": '<meta http-equiv="refresh" content="0;url=https://evil.example/forged">',
        "a second policy for referrers": '<meta name="referrer" content="unsafe-url">',
        "the same in capitals": '<meta name="R&#69;FERRER" content="unsafe-url">',
        "base": '<base href="https://evil.example/forged/">',
        "iframe": '<iframe src="https://evil.example/forged"></iframe>',
        "object": '<object data="https://evil.example/forged"></object>',
        "embed": '<embed src="https://evil.example/forged">',
        "form": '<form action="https://evil.example/forged"><button>x</button></form>',
        "style": "<style>p{color:red}</style>",
        "style attribute": '<p style="color:red">forged</p>',
        "handler": '<p onclick="forged()">x</p>',
        "handler in capitals": '<p ONCLICK="forged()">x</p>',
        "handler without quotes": "<p onclick=forged()>x</p>",
        "handler behind a slash": '<svg/onload="forged()"></svg>',
        "handler behind a newline": '<p class="x"\nonclick="forged()">x</p>',
        "link that runs": '<a href="javascript:forged()">x</a>',
        "link that runs, in entities": '<a href="java&#115;cript:forged()">x</a>',
        "link that runs, with a tab": '<a href="java\tscript:forged()">x</a>',
        "data link": '<a href="data:text/html,forged">x</a>',
        "address of a host": '<a href="//evil.example/forged">x</a>',
        "foreign icon": '<link rel="icon" href="https://evil.example/forged.png">',
        "icon that is no picture": '<link rel="icon" href="data:text/html,forged">',
        "control character": "<p>\x1b[31mforged</p>",
        "turned text": "<p>\u202eforged</p>",
        "no root": '<table data-root="../../">x</table>',
        "foreign style sheet": '<link rel="import" href="https://evil.example/forged">',
        "animation": '<svg><animate attributeName="href" values="javascript:forged()"/></svg>',
        "foreign object": "<svg><foreignObject><p>forged</p></foreignObject></svg>",
        "foreign use": '<svg><use href="https://evil.example/forged#x"/></svg>',
        "foreign picture": '<img src="https://evil.example/forged.png">',
        "style sheet from outside the site": '<link rel="stylesheet" href="../../outside/forged.css">',
        "style sheet from outside, by another way": '<link rel="stylesheet" href="../assets/../../forged.css">',
        "style sheet from outside, in percents": '<link rel="stylesheet" href="../%2e%2e/forged.css">',
        "icon from outside the site": '<link rel="icon" href="../../outside/forged.png">',
        "picture from outside the site": '<img alt="x" src="../../../../tmp/forged.png">',
        "input that loads": '<input type="image" src="../../outside/forged.png">',
        "comment": "<!-- forged -->",
        "half a comment": "<!-- ",
        "half a tag": "<p class=",
        "a sign that is no tag": "1 > 0",
        "another search script": '<a data-search="https://evil.example/forged.js">x</a>',
        "rows from elsewhere": '<table data-rows="https://evil.example/forged.js">x</table>',
        "another root": '<table data-root="javascript:forged()//">x</table>',
        "template": "<template><p>forged</p></template>",
        "text area": "<textarea>forged",
        "secret": f"<p>{TOKEN}</p>",
        "mask without a number": "<p>[redacted: github token #\U00100001\U00100002\U00100003]</p>",
    }.items()
} | {
    "no policy": lambda page: "\n".join(line for line in page.split("\n") if "Content-Security-Policy" not in line),
    "another policy": replaced("script-src 'self'", "script-src 'self' 'unsafe-inline'"),
    "a script before the policy": inserted('<script src="../assets/x.js"></script>', '<meta http-equiv="Content-Sec'),
    "something before all": lambda page: "<p>forged</p>" + page,
    "nothing": lambda _: "",
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("how", HOSTILE)
def test_a_page_that_no_build_would_make_is_not_published(bare: Campaign, how: str) -> None:
    bare.as_left()

    def changed(value: Value) -> Value:
        page = HOSTILE[how](unpacked(value["file"]))
        assert page != unpacked(value["file"])
        return value | {"file": packed(page)}

    assert bare.forge("page", changed, is_html) > RUNS
    assert bare.is_as_cold()


SCRIPTS = [
    "forged()",
    'window.sitegenSearch["texts-0"]=JSON.parse("[]");forged();\n',
    'window.sitegenSearch["texts-0"]=JSON.parse("[]"+forged());\n',
    'window.sitegenRows={"a":forged()};\n',
    "window.sitegenRows={a:1};\n",
    'window.onload={"a":"b"};\n',
    'window.sitegenRows={"a":"</script>"};\n',
    'window.sitegenSearch["texts-0"]=JSON.parse("{");\n',
    'window.sitegenRows={"a":NaN};\n',
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_that_does_more_than_set_data_is_not_published(bare: Campaign, script: str) -> None:
    assert not is_script(script.encode())
    bare.as_left()
    assert bare.forge("page", lambda value: value | {"file": packed(script)}, lambda key: key.endswith(".js"))
    forged = {"file": packed(script)}

    def with_forged_companions(value: dict[str, Any]) -> dict[str, Any]:
        return value | {"companions": [each | forged for each in value["companions"]]}

    assert bare.forge("page", with_forged_companions, is_html)
    assert bare.is_as_cold()


LAYOUTS: dict[str, Callable[[Value], Value]] = {
    key: lambda spec, key=key, value=value: spec | {key: value}  # type: ignore[misc]
    for key, value in {
        "usermeta": {"embedOptions": {}},
        "transform": [{"calculate": "forged()", "as": "x"}],
        "params": [{"name": "x", "expr": "forged()"}],
        "data": {"url": "https://evil.example/forged"},
        "background": {"expr": "forged()"},
        "height": 10**12,
        "title": "https://evil.example/forged",
    }.items()
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("how", LAYOUTS)
def test_a_layout_has_no_words_but_those_of_ours(drawn: Campaign, how: str) -> None:
    drawn.as_left()
    assert drawn.forge("layout", lambda value: value | {"spec": LAYOUTS[how](value["spec"])})
    assert drawn.is_as_cold()


def test_a_layout_that_lacks_something_is_done_without(drawn: Campaign) -> None:
    drawn.as_left()
    assert drawn.forge("layout", lambda value: value | {"spec": {}})
    assert drawn.is_as_cold()


def test_all_words_of_our_layouts_are_known_and_no_others_are(drawn: Campaign) -> None:
    drawn.as_left()
    found: set[str] = set()

    def look(value: Value) -> None:
        if isinstance(value, dict):
            found.update(value)
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            look(inner)

    for *_, value in drawn.rows("layout"):
        look(value["spec"])
        look(value["legend"])
    assert len(drawn.rows("layout")) >= 3
    assert found <= kept.LAYOUT_KEYS


def test_an_address_of_any_length_is_looked_at_once() -> None:
    began = time.process_time()
    for path in ("../" * 300_000, "x/" * 300_000, "x." * 300_000):
        for markup in (f'<a href="{path} "></a>', f'<img src="{path} ">', f'<link rel="icon" href="{path} ">'):
            assert not kept_pages.has_plain_tags(markup)
    assert time.process_time() - began < 2


def test_a_page_loads_what_lies_in_its_site() -> None:
    for tag in ('<link rel="stylesheet" href="../assets/site.1f.css?v=2a">', '<img src="../logo.png" alt="">'):
        assert kept_pages.has_plain_tags(tag, "../")
        assert not kept_pages.has_plain_tags(tag, "../../")


def test_attempts_come_from_the_rows_of_a_task() -> None:
    assert kept_pages.has_plain_tags('<p data-attempts="../tasks/a-1.rows.js">', "../")
    for address in ("../../a.rows.js", "https://b.example/a.rows.js", "../tasks/a.js", "//b.example/a.rows.js"):
        assert not kept_pages.has_plain_tags(f'<p data-attempts="{address}">', "../"), address


DRAWINGS = [
    '<svg class="chart-wide" ><script>forged()</script></svg>',
    '<svg class="chart-wide" onload="forged()"></svg>',
    '<svg class="chart-wide" ><a href="javascript:forged()"><text>x</text></a></svg>',
    '<svg class="chart-wide" ></svg><p>forged</p>',
    '<svg class="chart-wide" ><use href="#x"/></svg>',
    '<svg class="chart-wide" ></svg></div><svg>',
    '<svg class="chart-wide" ><p>forged</p></svg>',
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("drawing", DRAWINGS)
def test_a_drawing_holds_nothing_but_shapes_and_links(drawn: Campaign, drawing: str) -> None:
    drawn.as_left()
    assert drawn.forge("drawing", lambda value: value | {"wide": drawing})
    assert drawn.is_as_cold()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["layout", "drawing"])
@pytest.mark.parametrize("how", WRONG)
def test_a_chart_that_is_not_of_its_type_is_unknown(drawn: Campaign, kind: str, how: str) -> None:
    drawn.as_left()
    assert drawn.forge(kind, WRONG[how])
    assert drawn.is_as_cold()


def test_a_forged_script_of_vega_is_not_published(drawn: Campaign) -> None:
    drawn.as_left()
    (file,) = drawn.cache.glob("vega-*.js")
    script = b"forged();"
    name = file.stem.removeprefix("vega-").encode()
    for content in (script, seal(b"vega", name, script) + script, hashlib.sha256(script).hexdigest().encode() + script):
        file.write_bytes(content)
        assert drawn.is_as_cold()
        assert file.read_bytes()[SEAL_BYTES:] in drawn.cold.values()


def test_the_digest_of_the_script_of_vega_is_that_of_the_installed_version(tmp_path: Path) -> None:
    """See docs/incremental.md for what adds one."""
    version = engine.metadata.version("vl-convert-python")
    with pytest.MonkeyPatch.context() as patched:
        patched.delitem(engine.BUNDLES, version, raising=False)
        bundle = charts.vega_bundle(tmp_path)
    assert list(tmp_path.iterdir()) == [], "of a version that is not known, nothing is kept"
    assert bundle is not None
    assert engine.BUNDLES.get(version) == hashlib.sha256(bundle).hexdigest()


def test_every_page_of_a_site_without_charts_is_taken_for_one(bare: Campaign) -> None:
    scripts = [path for path in bare.cold if path.endswith(".js")]
    for path, content in bare.cold.items():
        if path.endswith(".html") and path != "index.html":
            assert kept_pages.is_page(path, content.decode(), scripts), path
