"""Settings that name files."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.config.inputs import Baseline


@pytest.mark.parametrize(
    ("path", "placed"),
    [("previous", "previous"), ("last.zip", "/own/last.zip"), ("s3://b/a.zip", "s3://b/a.zip")],
)
def test_a_baseline_is_a_path_or_the_campaign_before(path: str, placed: str) -> None:
    assert Baseline.model_validate({"path": path}, context=Path("/own")).path == placed
