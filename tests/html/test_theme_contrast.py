"""Colours that can be told apart: computed from the tokens, as WCAG 2.2 defines contrast.

Every colour among the tokens has a role here; a new one has to be given one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT

STATIC = ROOT / "templates" / "static"

GROUNDS = ("bg", "surface")
TEXTS = ("ink", "muted", "accent", "ok", "bad", "warn")
CODE = ("code-keyword", "code-string", "code-number", "code-name", "code-key")
CHANGED_LINES = ("add", "del")
FOUND_WORDS = ("mark",)
MARKS = ("output", "input", "cache-write", "cache-read", "model-1", "model-2", "model-3", "model-4")
HAIRLINES = ("line", "strong")
"""They order a page and say nothing that its words do not say."""

THEMES = {"built-in": (), "example": (ROOT / "examples" / "theme" / "tokens.css",)}

Colour = tuple[float, float, float]
"""Red, green and blue of sRGB, from 0 to 1."""


def declared(css: str) -> dict[str, str]:
    """The custom properties in a text of CSS, the last of each name."""
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", css))


def tokens(theme: str, contrast: str) -> dict[str, str]:
    """All tokens as a reader with this wish for contrast gets them."""
    usual, *conditional = (STATIC / "tokens.css").read_text(encoding="utf-8").split("@media ")
    values = declared(usual + "".join(path.read_text(encoding="utf-8") for path in THEMES[theme]))
    if contrast == "usual":
        return values
    return values | declared(
        next(block for block in conditional if block.startswith("(prefers-contrast: more)"))
    )


def colour(value: str, scheme: str, values: dict[str, str]) -> Colour:
    """The colour that a value comes to in a scheme.

    Raises: ValueError when it is none.
    """
    if found := re.fullmatch(r"#([0-9a-f]{6})", value):
        red, green, blue = bytes.fromhex(found[1])
        return red / 255, green / 255, blue / 255
    if found := re.fullmatch(r"light-dark\((#\w+), (#\w+)\)", value):
        return colour(found[1 if scheme == "light" else 2], scheme, values)
    if found := re.fullmatch(r"var\(--([\w-]+)\)", value):
        return colour(values[found[1]], scheme, values)
    raise ValueError(value)


def blend(above: Colour, below: Colour, opacity: float) -> Colour:
    """A colour over another."""
    red, green, blue = (opacity * a + (1 - opacity) * b for a, b in zip(above, below, strict=True))
    return red, green, blue


def luminance(of: Colour) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in of
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast_ratio(one: Colour, other: Colour) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def pairs(contrast: str) -> Iterator[tuple[str, str, float]]:
    """What stands on what, and the least contrast that it needs."""
    of_text = 7.0 if contrast == "more" else 4.5
    yield from ((text, ground, of_text) for text, ground in itertools.product(TEXTS, GROUNDS))
    yield from ((text, "surface", 4.5) for text in CODE)
    yield from (("ink", ground, of_text) for ground in (*CHANGED_LINES, *FOUND_WORDS))
    yield from ((mark, "bg", 3.0) for mark in (*MARKS, *(HAIRLINES if contrast == "more" else ())))


def test_contrast_is_computed_as_wcag_defines_it() -> None:
    black, white = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    assert contrast_ratio(black, white) == pytest.approx(21)
    assert contrast_ratio(colour("#767676", "light", {}), white) == pytest.approx(4.54, abs=0.005)
    assert contrast_ratio(colour("#777777", "light", {}), white) < 4.5


def test_every_colour_among_the_tokens_has_a_role() -> None:
    values = tokens("built-in", "usual")
    colours = {name for name, value in values.items() if value.startswith(("#", "light-dark("))}
    assert colours == {*GROUNDS, *TEXTS, *CODE, *CHANGED_LINES, *FOUND_WORDS, *MARKS, *HAIRLINES}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("contrast", ["usual", "more"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_marks_stand_out_from_their_grounds(
    theme: str, contrast: str, scheme: str
) -> None:
    values = tokens(theme, contrast)

    def ratio(name: str, ground: str) -> float:
        return contrast_ratio(
            colour(values[name], scheme, values), colour(values[ground], scheme, values)
        )

    found = {
        (name, ground): (ratio(name, ground), least) for name, ground, least in pairs(contrast)
    }
    assert {pair: ratios for pair, ratios in found.items() if ratios[0] < ratios[1]} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_soft_bars_stand_out_too(scheme: str) -> None:
    opacity = float(
        re.findall(r"\.soft \{[^}]*opacity: ([\d.]+)", (STATIC / "content.css").read_text("utf-8"))[
            0
        ]
    )
    values = tokens("built-in", "usual")
    muted, ground = (colour(values[name], scheme, values) for name in ("muted", "bg"))
    assert contrast_ratio(blend(muted, ground, opacity), ground) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_fourth_model_differs_from_all_others_in_grey_too(scheme: str) -> None:
    values = tokens("built-in", "usual")
    others = colour(values["muted"], scheme, values)
    assert contrast_ratio(colour(values["model-4"], scheme, values), others) > 1.5
