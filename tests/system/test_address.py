"""Places of files in stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.system.address import Address


@pytest.mark.parametrize(
    ("url", "name", "path"),
    [
        ("s3://bucket/runs/1.json", "1.json", "/dev/null/s3:/bucket/runs/1.json"),
        ("s3://bucket", "bucket", "/dev/null/s3:/bucket"),
        ("s3://bucket/runs/", "", "/dev/null/s3:/bucket/runs"),
    ],
)
def test_an_address_has_the_name_of_its_last_part(url: str, name: str, path: str) -> None:
    assert Address(url).name == name
    # the first two slashes hold an empty part, which a path leaves out
    assert Address(url).as_path == Path(path)


def test_a_folder_has_no_size_and_no_version() -> None:
    assert (Address("s3://b").size, Address("s3://b").version) == (0, "")
