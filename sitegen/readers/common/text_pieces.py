"""Texts that come in pieces."""

from dataclasses import dataclass, field

from sitegen.steps import StepKind

MAX_CHARACTERS = 8_000_000
"""Characters of a text beyond which its later pieces are left out."""


@dataclass(slots=True)
class _Text:
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    ms: int | None = None


class TextPieces:
    """The texts whose pieces still come, by kind of step."""

    def __init__(self) -> None:
        self._texts: dict[StepKind, _Text] = {}

    def add(self, kind: StepKind, piece: str, ms: int | None, *, may_be_whole: bool) -> None:
        """Add the next piece, unless it `may_be_whole` and is the same text as all pieces until now."""
        text = self._texts.get(kind) or _Text()
        is_whole = may_be_whole and text.size == len(piece) and "".join(text.pieces) == piece
        if text.size >= MAX_CHARACTERS or is_whole:
            return
        text.pieces.append(piece)
        text.size += len(piece)
        text.ms = ms
        self._texts[kind] = text

    def take(self, kind: StepKind) -> tuple[str, int | None]:
        """Take out the text whose last piece has come; return it, and when that was."""
        text = self._texts.pop(kind, None)
        return ("".join(text.pieces), text.ms) if text else ("", None)
