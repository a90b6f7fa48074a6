"""The names that the package itself offers, which are imported when they are asked for."""

from __future__ import annotations

import pytest

import sitegen
from sitegen import api, model


def test_the_package_offers_runs_and_what_reads_them() -> None:
    assert sitegen.__all__ == ["Entry", "Run", "Runs", "__version__", "load_runs"]
    assert (sitegen.Entry, sitegen.Run) == (model.Entry, model.Run)
    assert (sitegen.Runs, sitegen.load_runs) == (api.Runs, api.load_runs)
    assert sitegen.__version__ == "0.1.0"


def test_a_name_that_it_does_not_offer_is_an_error() -> None:
    with pytest.raises(AttributeError) as raised:
        sitegen.__getattr__("Config")
    assert str(raised.value) == "module 'sitegen' has no attribute 'Config'"
