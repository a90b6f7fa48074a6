"""The parts that a site has once: its sitemap, the styles of its models, and what it depends on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.config import Config
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, ModelUsage, Tokens
from sitegen.pages import site as module
from sitegen.pages.site import Site, environment, model_styles, sitemap
from sitegen.pages.views import model_class
from tests.support.chart_runs import entry


def test_a_sitemap_has_pages_of_runs_last_and_addresses_in_their_form() -> None:
    paths = ["runs/b.html", "tasks/ü & x.html", "index.html", "runs/a.html"]
    assert sitemap("https://example.org/a&b/", paths).decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        "<url><loc>https://example.org/a&amp;b/index.html</loc></url>\n"
        "<url><loc>https://example.org/a&amp;b/tasks/%C3%BC%20%26%20x.html</loc></url>\n"
        "<url><loc>https://example.org/a&amp;b/runs/a.html</loc></url>\n"
        "<url><loc>https://example.org/a&amp;b/runs/b.html</loc></url>\n"
        "</urlset>\n"
    )


def test_a_sitemap_has_no_more_pages_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SITEMAP_PAGES", 2)
    text = sitemap("https://example.org/", ["runs/a.html", "index.html", "about.html"]).decode()
    assert text.count("<loc>") == 2
    assert "runs/a.html" not in text


def run(model: str, usd: float, configuration: str = "", agent: str = "") -> Entry:
    """Return a run of a model that cost so much."""
    made = entry(1, model=model)
    return replace(
        made,
        run=replace(made.run, ledger=(ModelUsage(model, Tokens(1, 0, 0, 1), usd),)),
        ledger_names=(model,),
        configuration=configuration or None,
        factors=(("agent", agent),) if agent else (),
    )


def test_models_have_a_colour_and_configurations_the_shape_of_their_agent() -> None:
    alpha, beta = model_class("Alpha 2"), model_class("Beta 1")
    arm = model_class("codex · Beta 1")
    styles = model_styles([run("Alpha 2", 2.0), run("Beta 1", 1.0, "codex · Beta 1", "codex")])
    root, *rules = styles.decode().splitlines()
    assert root == (
        f":root{{--m-{alpha}:var(--model-1);--m-{beta}:var(--model-2);--m-{arm}:var(--model-2)}}"
    )
    assert rules[0] == (
        f".m-{alpha}{{fill:var(--m-{alpha});background:var(--m-{alpha})}}"
        f".l-{alpha}{{stroke:var(--m-{alpha})}}"
    )
    assert rules[-1].startswith(f":is(.key,circle).m-{arm}{{clip-path:")
    assert rules[-1].endswith(";border-radius:0}")
    assert len(rules) == 4
    assert model_styles([]) == b""


def digest_of(config: Config, *, is_strict: bool = False) -> bytes:
    """Return the digest of what all pages of a site depend on."""
    return Site.of(config, Redactor(), is_strict=is_strict).digest


def test_what_all_pages_depend_on_is_in_the_digest_of_a_site(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = digest_of(Config())
    assert plain == digest_of(Config())
    assert plain != digest_of(Config(title="Another"))
    assert plain != digest_of(Config(), is_strict=True)
    monkeypatch.setenv("DEPLOY_TOKEN", "k2Jx9QpLw4Vt")
    assert plain != digest_of(Config())
    monkeypatch.delenv("DEPLOY_TOKEN")
    monkeypatch.setenv("HOME", "/home/elsewhere")
    assert plain != digest_of(Config())


def test_tokens_of_one_job_are_no_part_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    before = environment()
    monkeypatch.setenv("ACTIONS_RUNTIME_TOKEN", "k2Jx9QpLw4Vt")
    monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "k2Jx9QpLw4Vt")
    monkeypatch.setenv("EDITOR", "vi")
    assert environment() == before
    monkeypatch.setenv("DEPLOY_TOKEN", "k2Jx9QpLw4Vt")
    assert sorted({*environment()} - {*before}) == ["DEPLOY_TOKEN=k2Jx9QpLw4Vt"]


def test_settings_but_for_places_are_in_the_digest_of_settings() -> None:
    def settings_digest(**given: object) -> str:
        return Site.of(Config(**given), Redactor(), is_strict=False).settings_digest()  # type: ignore[arg-type]

    plain = settings_digest()
    assert len(plain) == 16
    assert plain == settings_digest(output="elsewhere")
    assert plain != settings_digest(title="Another")
    assert plain != settings_digest(attempts=3)
