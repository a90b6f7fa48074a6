"""A campaign whose cache is forged: what the tests of that share."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from sitegen import build as builder
from sitegen.cache.seal import SEAL_BYTES, seal
from sitegen.config import Config, Input
from sitegen.inputs.survey import ProgressReporter
from sitegen.masking.redact import Redactor
from tests.site.test_incremental import each, tree
from tests.support import campaigns
from tests.support.building import build
from tests.support.campaigns import result

RUNS = 3
END = 8 + SEAL_BYTES


class Campaign:
    """A folder with runs, the cache that a build of them left, and the site of a build without one."""

    def __init__(self, folder: Path, figures: dict[str, Any]) -> None:
        self.runs = campaigns.write(
            folder / "runs",
            {f"t{n % 2}/{n}.json": result(n, **figures) for n in range(1, RUNS + 1)},
        )
        campaigns.write(
            folder / "runs", {"t1/3.diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n"}
        )
        self.site, self.cache, self._backup = folder / "site", folder / "cache", folder / "backup"
        self.build(None)
        self.cold = tree(self.site)
        shutil.rmtree(self.site)
        self.build(self.cache)
        shutil.copytree(self.cache, self._backup)

    def build(self, cache: Path | None, progress: ProgressReporter = each) -> builder.Built:
        config = Config(
            inputs=(Input(path=str(self.runs), pattern="{task}/{attempt}.json"),),
            output=str(self.site),
        )
        return build(config, Redactor.for_this_machine(), progress, lambda _: None, cache=cache)

    def as_left(self) -> None:
        """The cache that the build left, and no site: a job of CI that restores it."""
        for folder in (self.site, self.cache):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._backup, self.cache)

    @property
    def file(self) -> Path:
        (file,) = (self.cache / "sites").glob("*.cache")
        return file

    def sign_anew(self) -> None:
        """Sign the list of what is kept, as it is, with the key of this moment."""
        data = self.file.read_bytes()
        body, size = data[:-END], int.from_bytes(data[-END:-SEAL_BYTES])
        self.file.write_bytes(data[:-SEAL_BYTES] + seal(b"list", body[len(body) - size :]))

    def is_as_cold(self) -> bool:
        """Whether a build with this cache writes what one without any writes."""
        self.build(self.cache)
        return tree(self.site) == self.cold
