"""Builds in this process: what is published, what is remarked about the build itself, and what a cache changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitegen import build
from sitegen.build import Built, build_site
from sitegen.config import Config
from sitegen.errors import ConfigError, PublishError
from sitegen.masking.redact import Redactor
from sitegen.pages.site import Site
from tests.conftest import ROOT
from tests.support import cases, scenarios

pytestmark = pytest.mark.blank_charts
CASE = ROOT / "tests" / "pages" / "cases" / "two-agents-on-five-tasks.yaml"
EXPECTED = ROOT / "tests" / "build.expected.json"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """The settings of a small campaign, whose site has an address."""
    settings = scenarios.config_of(CASE, tmp_path)
    return settings.model_copy(update={"site_url": "https://example.org/tides/"})


def built(config: Config, **options: Any) -> Built:
    site = Site.of(config, Redactor(), is_strict=False)
    return build_site(site, lambda _, items: items, lambda _: None, **options)


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_site_has_these_files_and_what_its_address_asks_for(
    config: Config, refresh: bool
) -> None:
    result = built(config)
    files = content(Path(config.output))
    manifest = files.pop(".sitegen.json")
    assert result.published.files == len(files)
    assert result.published.size == sum(map(len, files.values())) and manifest
    for_address = {
        path: data.decode("utf-8").splitlines()
        for path, data in files.items()
        if path.endswith((".xml", ".txt")) or "404" in path
    }
    shown = {
        "files": sorted(files),
        "for its address": for_address,
        "warnings": list(result.warnings),
        "findings": [finding.text for finding in result.findings],
        "runs": len(result.report.facts.entries),
    }
    cases.compare(EXPECTED, shown, refresh=refresh, expected=EXPECTED)


def test_a_folder_of_the_callers_takes_the_place_of_the_output(
    config: Config, tmp_path: Path
) -> None:
    built(config, into=tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "index.html").exists()
    assert not Path(config.output).exists()


def test_a_cache_changes_no_byte_and_spares_reading_runs_again(
    config: Config, tmp_path: Path
) -> None:
    built(config)
    cold = content(Path(config.output))
    for _ in range(2):
        result = built(config, cache=tmp_path / "cache")
        assert content(Path(config.output)) == cold
        assert [warning for warning in result.warnings if "cached" in warning] == []
    assert len(list((tmp_path / "cache" / "sites").glob("*.cache"))) == 1


def test_many_runs_keep_no_pages(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packing: list[bool] = []
    stream = build.FileStream

    def noted(*arguments: Any, is_packing: bool) -> Any:
        packing.append(is_packing)
        return stream(*arguments, is_packing=is_packing)

    monkeypatch.setattr(build, "FileStream", noted)
    runs = len(built(config, cache=tmp_path / "cache").report.facts.entries)
    for limit in (runs, runs - 1):
        monkeypatch.setattr(build, "MAX_RUNS_WITH_KEPT_PAGES", limit)
        built(config, cache=tmp_path / "cache")
    built(config)
    assert packing == [True, True, False, False]


def test_a_cache_that_cannot_be_is_a_warning(config: Config, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = built(config, cache=tmp_path / "file")
    (warning,) = (text for text in result.warnings if "cached" in text)
    assert warning == (
        f"Nothing is cached: the folder {tmp_path / 'file'} cannot be written, or is not yours alone."
    )


def test_a_site_that_is_too_large_for_hosts_is_a_warning(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []

    def too_large(files: int, size: int) -> list[str]:
        asked.append((files, size))
        return ["It is too large."]

    monkeypatch.setattr(build, "too_large", too_large)
    result = built(config)
    assert "It is too large." in result.warnings
    assert asked == [(result.published.files, result.published.size)]


def test_nothing_to_publish_and_pages_that_cite_nothing_leave_the_old_site(
    config: Config, tmp_path: Path
) -> None:
    built(config)
    old = content(Path(config.output))
    with pytest.raises(PublishError, match="left out"):
        built(config.with_days(None, "2001-01-01"))
    page = tmp_path / "method.md"
    page.write_text('# T\n\n[x](nosuch.html)\n\n{{ figure("nosuch") }}\n', encoding="utf-8")
    faulty = config.model_copy(update={"pages": (str(page),)})
    with pytest.raises(ConfigError) as refused:
        built(faulty)
    assert [line.partition(": ")[0] for line in str(refused.value).splitlines()] == [
        f"{page}:5",
        f"{page}:3",
    ]
    assert content(Path(config.output)) == old
