"""The files of a theme: which of a user's folder count, what they replace, and what is said of the others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from sitegen.errors import ConfigError
from sitegen.html import theme as module
from sitegen.html.theme import LOGOS, STYLES, Theme, folder, hashed_path, load

KNOWN = ["base.html.jinja", "site.css", "tokens.css", "table.js", *LOGOS]


def look(place: Path, **files: str | bytes) -> Path:
    """A folder with these files; `__` stands for a dot."""
    place.mkdir(exist_ok=True)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (place / name.replace("__", ".")).write_bytes(data)
    return place


def fault(place: Path) -> str:
    """Return the message about a folder that cannot be used, without its place."""
    with pytest.raises(ConfigError) as refused:
        module._read_own(place, KNOWN)
    return str(refused.value).replace(f"{place}", "look")


def test_files_are_read_by_name_but_for_hidden_ones_and_notes(tmp_path: Path) -> None:
    place = look(
        tmp_path / "look",
        tokens__css="a",
        base__html__jinja="b",
        logo__png=b"\xff",
        README__md="c",
        License="d",
        __hidden="e",
    )
    own = module._read_own(place, KNOWN)
    assert list(own.items()) == [
        ("base.html.jinja", b"b"),
        ("logo.png", b"\xff"),
        ("tokens.css", b"a"),
    ]
    assert module._read_own(look(tmp_path / "empty"), KNOWN) == {}


def test_all_faults_of_a_folder_are_told(tmp_path: Path) -> None:
    assert fault(tmp_path / "none") == "theme: there is no folder look."
    (tmp_path / "file").write_text("x")
    assert fault(tmp_path / "file") == "theme: there is no folder look."
    place = look(tmp_path / "look", tabel__js="a", zzz="b", site__css=b"a\nb\n\xff")
    (place / "base.html.jinja").symlink_to(place / "zzz")
    (place / "table.js").mkdir()
    assert fault(place).split("\n\n") == [
        "look/base.html.jinja: it is a link; put the file itself there, so that nothing from elsewhere is published.",
        "look/site.css:3: this is not UTF-8 text.",
        "look/tabel.js: it replaces nothing, sitegen has no file of this name; did you mean table.js?",
        "look/table.js: it is not a file.",
        "look/zzz: it replaces nothing, sitegen has no file of this name.",
    ]


def test_a_site_has_one_logo(tmp_path: Path) -> None:
    both = look(tmp_path / "look", logo__svg="<svg/>", logo__png="x")
    assert fault(both) == "look/logo.png: logo.svg is there too, and a site has one logo."
    one = look(tmp_path / "one", logo__svg="<svg/>")
    assert module._read_own(one, KNOWN) == {"logo.svg": b"<svg/>"}


def test_a_file_in_the_site_is_named_by_its_content() -> None:
    assert re.fullmatch(r"assets/site\.min-[0-9a-f]{8}\.css", hashed_path("site.min.css", b"a"))
    assert hashed_path("a.js", b"a") == hashed_path("a.js", b"a") != hashed_path("a.js", b"b")


def of_files(
    templates: Mapping[str, str], paths: Mapping[str, str], own: Mapping[str, bytes]
) -> Theme:
    return Theme(templates, {}, paths, b"", "look", own)


def test_the_logo_and_the_origin_of_a_template() -> None:
    paths = {"site.css": "assets/s.css", "logo.png": "assets/l.png"}
    made = of_files({}, paths, {"run.html.jinja": b""})
    assert made.logo == "assets/l.png"
    assert of_files({}, {}, {}).logo is None
    assert made.origin("run.html.jinja") == "look/run.html.jinja"
    assert made.origin("builtin/run.html.jinja") == "builtin/run.html.jinja"
    assert made.origin("base.html.jinja") == "builtin/base.html.jinja"


def test_stylesheets_of_the_user_replace_others_and_tokens_stand_behind(tmp_path: Path) -> None:
    for name in STYLES:
        (tmp_path / name).write_text(f"/* c */ .{name[:-4]} {{ top: 0 }}\n")
    built_in = [f".{name[:-4]}{{top:0}}".encode() for name in STYLES]
    assert module._join_styles(tmp_path, {}) == b"".join(built_in)
    own = {"site.css": b"/* mine */", "tokens.css": b"/* last */"}
    joined = module._join_styles(tmp_path, own)
    site = STYLES.index("site.css")
    expected = [*built_in[:site], b"/* mine */", *built_in[site + 1 :], b"/* last */"]
    assert joined == b"".join(expected)


def test_modules_are_one_function_and_those_of_the_user_stay_as_they_are() -> None:
    parts = {"a.js": "let  a = 1; // one\n", "b.js": "let  b = 2; // two\n"}
    assert module._join_script(parts, {"b.js"}) == (
        b'"use strict";\n(() => {\nlet a=1;\nlet  b = 2; // two\n\n})();\n'
    )


def test_the_built_in_templates_are_found_and_replaced(tmp_path: Path) -> None:
    assert (folder() / "base.html.jinja").is_file()
    place = look(tmp_path / "look", base__html__jinja="mine", logo__svg="<svg/>")
    made = load(str(place))
    assert made.templates["base.html.jinja"] == "mine"
    assert "<html" in made.templates["builtin/base.html.jinja"]
    assert made.folder == str(place) and sorted(made.own) == ["base.html.jinja", "logo.svg"]
    assert made.logo is not None and made.assets[made.logo] == b"<svg/>"
    assert {*made.asset_paths} == {"site.css", "logo.svg", *module.SCRIPTS}
