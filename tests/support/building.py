"""Builds of sites from settings, for tests that need no command."""

from __future__ import annotations

from typing import Any

from sitegen.build import Built, build_site
from sitegen.config import Config
from sitegen.masking.redact import Redactor
from sitegen.pages.site import Site


def build(config: Config, redactor: Redactor, *arguments: Any, **options: Any) -> Built:
    """Build the site that these settings describe."""
    return build_site(Site.of(config, redactor, is_strict=False), *arguments, **options)
