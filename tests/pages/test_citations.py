"""Citations of runs, comparisons and tasks in the author's pages, and links that lead nowhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.config import Config
from sitegen.html import markdown
from sitegen.model import Entry, Outcome
from sitegen.outcomes.study import Study
from sitegen.pages.citations import Citations, dead_links, link_to
from sitegen.pages.overall import compared
from tests.collect.facts import entry


def judged(model: str, task: str) -> Entry:
    path = f"{task}/{model}.json"
    run = entry(path, task=task, model=model, outcome=Outcome.PASS)
    return replace(run, id=f"{task}-{model}-0a1b")


RUNS = [judged(model, task) for model in ("moon", "sun") for task in ("tide", "pier")]
GONE = judged("star", "reef")


@pytest.fixture
def cited() -> Citations:
    config = Config.model_validate({})
    return Citations(Study(config, RUNS), compared(config, RUNS), [GONE])


@pytest.mark.parametrize("name", ["tide · moon", "TIDE · Moon", "tide/moon.json", "tide-moon-0a1b"])
def test_a_run_is_cited_by_its_name_its_path_or_its_page(cited: Citations, name: str) -> None:
    assert cited.markdown("run", name, None) == "[tide · moon](runs/tide-moon-0a1b.html)"


def test_a_pair_is_cited_in_either_order(cited: Citations) -> None:
    link = cited.markdown("compare", "sun", "Moon")
    assert link == cited.markdown("compare", "moon", "sun")
    assert link.startswith("[moon and sun](compare/")


def test_a_task_is_cited_as_the_site_spells_it(cited: Citations) -> None:
    assert cited.markdown("task", "TIDE", None).startswith("[tide](tasks/")


@pytest.mark.parametrize(
    ("kind", "names", "text"),
    [
        ("run", ("tide · mon", None), "there is no run 'tide · mon'; there are tide · moon"),
        ("task", ("tid", None), "there is no task 'tid'; there are tide"),
        ("compare", ("moon", "star"), "there is no comparison 'moon and star'"),
        ("compare", ("moon", None), "compare takes two names"),
        ("run", ("a", "b"), "run takes one name"),
        ("table", ("speed", None), "there is no table 'speed'"),
    ],
)
def test_what_leads_nowhere_is_an_error_with_the_nearest_names(
    cited: Citations, kind: str, names: tuple[str, str | None], text: str
) -> None:
    with pytest.raises(LookupError, match=text):
        cited.markdown(kind, *names)


def test_what_a_filter_left_out_is_named_without_a_link(cited: Citations) -> None:
    assert cited.markdown("run", "reef · star", None) == "reef · star"
    assert cited.markdown("task", "reef", None) == "reef"
    body = 'See <a href="runs/reef-star-0a1b.html">that run</a> and <a href="index.html">all</a>.'
    assert cited.without_dead_ends(body) == 'See that run and <a href="index.html">all</a>.'
    assert list(cited.unlinked) == ["reef · star", "reef", "runs/reef-star-0a1b.html"]


def test_names_are_no_markup() -> None:
    body = markdown.render(link_to("a*b*](x) <b>", "runs/a.html"), is_own=True).html
    assert ">a*b*](x) &lt;b&gt;</a>" in body and body.count("<a") == 1


def test_links_lead_to_files_of_the_site_or_elsewhere() -> None:
    paths = frozenset(["index.html", "runs/a.html", "compare/index.html"])
    alive = (
        "index.html#top ./runs/a.html runs/%61.html?x=1 #here https://a.example mailto:a@b compare/"
    )
    dead = "runs/nope.html ../index.html data/"
    body = "".join(f'<p><a class="x" href="{path}">t</a></p>' for path in f"{alive} {dead}".split())
    assert list(dead_links(body, paths)) == dead.split()
