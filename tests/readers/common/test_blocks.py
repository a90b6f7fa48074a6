"""Edits as models write them into a text."""

from __future__ import annotations

from sitegen.readers.common.blocks import changed_by_blocks


def block(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def counts(text: str) -> dict[str, tuple[int, int] | None]:
    """Return the lines added and removed in each file."""
    return {path: lines for path, (_, lines) in changed_by_blocks(text).items()}


def test_a_block_changes_the_file_that_is_named_before_it() -> None:
    for name in ("a.py", "**a.py**", "`x`\na.py:", "a.py\n```", "a.py\n"):
        assert counts(f"{name}\n{block('a', 'b')}") == {"a.py": (1, 1)}
    assert counts("no\nblock") == {}


def test_a_block_without_a_name_is_about_the_file_before() -> None:
    text = f"a.py\n{block('a', 'b')}{block('c', 'd')}b.py\n{block('e', 'f')}"
    assert counts(text) == {"a.py": (2, 2), "b.py": (1, 1)}
    assert changed_by_blocks(text)["a.py"][0].split() == ["-a", "+b", "-c", "+d"]


def test_a_block_that_does_not_end_changes_nothing() -> None:
    assert counts("a\n<<<<< SEARCH\nx\n=====\ny\n") == {}
    assert counts("a\n<<<<< SEARCH\nx\n>>>>> REPLACE\n") == {}
    assert counts("a\n<<<< SEARCH\nx\n=====\ny\n>>>>> REPLACE\n") == {}
    assert counts("a\n<<<<<SEARCH\nx\n=====\ny\n>>>>>REPLACE\n") == {"a": (1, 1)}


def test_equal_lines_are_no_change() -> None:
    assert changed_by_blocks(f"a\n{block('x', 'x')}") == {"a": ("", (0, 0))}


def test_lines_of_a_block_that_takes_too_long_to_compare_are_unknown() -> None:
    lines = [str(number) for number in range(401)]
    assert counts(f"a\n{block('x', chr(10).join(lines[:400]))}") == {"a": (400, 1)}
    assert counts(f"a\n{block('x', chr(10).join(lines))}") == {"a": None}
    assert counts(f"a\n{block(chr(10).join(lines), 'x')}{block('y', 'z')}") == {"a": None}


def test_lines_that_repeat_too_often_are_not_compared() -> None:
    often = ["x"] * 40  # 1600 pairs of 80 lines are 20 for each
    assert counts(f"a\n{block(chr(10).join(often), chr(10).join(often))}") == {"a": (0, 0)}
    often.append("x")
    assert counts(f"a\n{block(chr(10).join(often), chr(10).join(often))}") == {"a": None}
