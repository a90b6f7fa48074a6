"""A page from a template: escaping, the way to the top of the site, and the faults of a user's theme."""

import pickle
import sys
from collections.abc import Mapping

import jinja2
import pytest

from sitegen.errors import ConfigError
from sitegen.html.render import Page, Renderer, View
from sitegen.html.theme import Theme


@pytest.fixture(autouse=True)
def _keep_no_compiled_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave nothing in the folder of the built-in templates."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


def page(path: str = "index.html", view: object = None) -> Page:
    return Page(path, "page.html.jinja", "A title", "", "", view)


def renderer(source: str, *, is_own: bool = False, **others: str) -> Renderer:
    """Return one whose theme has this template as page.html.jinja, and others beside it."""
    templates = {"page.html.jinja": source}
    templates |= {f"{name}.html.jinja": text for name, text in others.items()}
    own: Mapping[str, bytes] = {"page.html.jinja": source.encode()} if is_own else {}
    return Renderer(Theme(templates, {}, {}, b"", "theme", own), View(name="the <site>"))


def test_everything_is_escaped_but_what_the_filter_marks_as_safe() -> None:
    made = renderer("{{ page.title }} {{ site.name }} {{ view }} {{ view|html }}\n")
    assert made.render(page(view="<b>")) == b"A title the &lt;site&gt; &lt;b&gt; <b>\n"


@pytest.mark.parametrize(
    ("path", "root"),
    [("index.html", b""), ("runs/a.html", b"../"), ("groups/model/a.html", b"../../")],
)
def test_a_page_knows_its_way_to_the_top_of_the_site(path: str, root: bytes) -> None:
    assert renderer("{{ root }}").render(page(path)) == root


def test_texts_that_were_read_again_and_signs_that_are_no_text_reach_the_page() -> None:
    assert renderer("{{ told }}").render(page(), {"told": "a\udcff"}) == b"a?"


def test_lines_that_hold_only_a_tag_leave_nothing_behind() -> None:
    assert renderer("a\n  {% if true %}\nb\n  {% endif %}\nc\n").render(page()) == b"a\nb\nc\n"


def test_a_renderer_that_was_sent_to_another_process_makes_the_same_page() -> None:
    sent = pickle.loads(pickle.dumps(renderer("{{ site.name }}")))  # noqa: S301  our own bytes
    assert sent.render(page()) == b"the &lt;site&gt;"


def test_a_view_does_not_change_and_makes_others() -> None:
    view = View(a=1, b=2)
    with pytest.raises(AttributeError, match="a view does not change: a"):
        view.a = 3
    assert view.but(b=3, c=4) == View(a=1, b=3, c=4)
    assert view == View(a=1, b=2)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("one\n{{ view.x }}", "theme/page.html.jinja:2: 'None' has no attribute 'x'"),
        ("{{ 1 / 0 }}", "theme/page.html.jinja:1: ZeroDivisionError: division by zero"),
        (
            "{% include 'none.html' %}",
            "theme/page.html.jinja:1: there is no template 'none.html'",
        ),
        (
            "{% extends 'page.html.jinja' %}",
            "theme/page.html.jinja:1: it extends or includes itself; "
            "the built-in template is builtin/page.html.jinja",
        ),
    ],
)
def test_a_fault_of_the_users_template_is_told_with_its_place(source: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        renderer(source, is_own=True).render(page("runs/a.html"))
    assert str(raised.value) == f"{message}. runs/a.html was being made."


def test_a_fault_of_a_built_in_template_is_no_fault_of_a_theme() -> None:
    with pytest.raises(ZeroDivisionError):
        renderer("{{ 1 / 0 }}").render(page())
    with pytest.raises(ZeroDivisionError):
        renderer("{% include 'b.html.jinja' %}", is_own=True, b="{{ 1 / 0 }}").render(page())


def test_a_template_that_does_not_parse_is_refused_before_anything_is_read() -> None:
    with pytest.raises(ConfigError) as raised:
        renderer("one\n{% if %}", is_own=True).compile_own()
    assert str(raised.value) == (
        "theme/page.html.jinja:2: Expected an expression, got 'end of statement block'."
    )
    renderer("{% if %}").compile_own()  # only templates of the user are compiled


def test_a_template_that_is_not_there_is_no_fault_of_a_theme() -> None:
    other = Page("index.html", "none.html.jinja", "", "", "", None)
    with pytest.raises(jinja2.TemplateNotFound):
        renderer("", is_own=True).render(other)
    with pytest.raises(jinja2.UndefinedError):
        renderer("{{ view.x }}").render(page())


def test_a_fault_in_a_built_in_template_by_what_the_theme_lacks_is_told() -> None:
    broken = renderer("{% include 'b.html.jinja' %}", is_own=True, b="\n{{ view.x }}")
    with pytest.raises(ConfigError) as raised:
        broken.render(page())
    assert str(raised.value) == (
        "builtin/b.html.jinja:2: 'None' has no attribute 'x'. index.html was being made."
    )
