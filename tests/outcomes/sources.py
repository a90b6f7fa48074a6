"""Sources of rows, and files of outcomes, for tests of single steps."""

from __future__ import annotations

from typing import Any

from sitegen.config import Outcomes
from sitegen.inputs.survey import Naming
from sitegen.masking.redact import Redactor
from sitegen.model import ModelUsage, Run, Source, Status, Tokens
from sitegen.outcomes.rows import Row, RowSource

NO_NAMES = Naming([])


def source(path: str = "o.csv", **known: Any) -> Source:
    return Source(path, f"/in/{path}", named=True, size=1, **known)


def origin(path: str = "o.csv", **known: Any) -> RowSource:
    """The origin of rows in a file; `settings` are keys of the settings."""
    settings = Outcomes.model_validate({"path": path, **known.pop("settings", {})})
    return RowSource(path, source(path), Redactor(), settings=settings, **known)


def row(line: int | None = 2, **known: Any) -> Row:
    return Row("o.csv", line, **known)


def run_of_model(*models: str, **known: Any) -> Run:
    """A run whose file names these models."""
    ledger = tuple(ModelUsage(model, Tokens()) for model in models)
    return Run("r", Status.OK, ledger=ledger, **known)
