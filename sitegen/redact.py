"""What every string of a run, and every message, passes through on its way to a page, a file or a terminal.

One place, because a rule that is applied in two places is forgotten in a third: a reader returns a Run, the
Redactor returns the Run that the rest of the program may know. Two steps, in this order: characters that a
page, a terminal or a person reads differently from what is shown are removed or made visible (`clean_text`),
then what must not be published is replaced. So far that is the names in paths of home folders; rules for
secrets belong into `Redactor.__call__`, and nowhere else.

Clean text is the usual case, so each step first asks a cheap question. Done twice, both change nothing more.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.model import Caveat, Denial, Problem, Run, Texts

_REPLACEMENT = "\ufffd"

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_BIDI = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"
_TAGS = r"\U000e0000-\U000e007f"  # invisible twins of ASCII that models read and people do not see
_SURROGATES = r"\ud800-\udfff"
_NONCHARACTERS = r"\ufdd0-\ufdef" + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(17))
_SUSPECT = re.compile(f"[{_CONTROLS}{_BIDI}{_TAGS}{_SURROGATES}{_NONCHARACTERS}]")
# ECMA-48: control sequences, control strings with their end, and short escapes. A control string holds no
# control character, so an opener without an end hides nothing that follows and is looked through only once.
_MENDED = re.compile(
    r"(?P<sequence>(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    rf"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^{_CONTROLS}\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-Z\\^-~])"
    r"|(?P<line_end>\r\n?)"
    rf"|(?P<shown>[{_BIDI}{_TAGS}])"
    rf"|(?P<unusable>[\x00{_SURROGATES}{_NONCHARACTERS}])"
    rf"|[{_CONTROLS}]"
)


def clean_text(text: str) -> str:
    """The text without what a page or a terminal would obey instead of show.

    NUL, lone surrogates and noncharacters become U+FFFD; line ends become a newline; terminal sequences
    (ANSI, OSC) go whole; other C0 and C1 controls go, except tab and newline; characters that change the
    direction of writing and invisible tag characters are written out, as `[U+202E]`.
    """
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    if not _SUSPECT.search("".join(set(text))):  # each character once: emoji joiners and such are common
        return text
    return _MENDED.sub(_mend, text)


def _mend(match: re.Match[str]) -> str:
    match match.lastgroup:
        case "line_end":
            return "\n"
        case "shown":
            return f"[U+{ord(match[0]):04X}]"
        case "unusable":
            return _REPLACEMENT
        case _:
            return ""


def terminal(text: str) -> str:
    """The text on one line, for a terminal: no controls, every run of white space one space."""
    return " ".join(clean_text(text).split())


# What goes on to the left (https://host/home/x, src/home/x) is not meant, before it is redacted or after.
_BEGIN = r"(?<![\w.~%-])(?<!\[user\])"
# Folders in which each user has one.
_HOMES = re.compile(
    rf"(?P<folder>{_BEGIN}(?:/var|/export|/usr|/mnt/[a-z]|/[a-z])?/(?:home|Users)/"
    r"|(?<!\w)[A-Za-z]:(?:\\{1,2}|/)[Uu]sers(?:\\{1,2}|/))"
    r"(?!Shared\b|Public\b|Default\b|All Users\b)"
    r"\w[^\s/\\:*?\"'`<>|,;()\[\]{}&$#]*(?<![.!])(?:(?: [A-Z][\w.-]*){1,2}(?=[/\\]))?"
)

_HOME_SIGNS = ("/home/", "Users", ":\\users", ":/users")


@functools.cache
def _whole(folder: str) -> re.Pattern[str]:
    """Matches this folder, and no other whose path begins with the same letters or ends with it."""
    return re.compile(rf"{_BEGIN}{re.escape(folder)}(?![\w-]|\.\w)")


@dataclass(frozen=True, slots=True)
class Redactor:
    """Makes a text publishable: `redactor(text)`."""

    homes: tuple[str, ...] = ()
    """Home folders of whoever builds, shown as `~`. All others keep their place: `/home/[user]`."""

    @classmethod
    def for_this_machine(cls) -> Redactor:
        """Hides the home folder of the user who builds, if there is one."""
        try:
            home = Path.home()
        except RuntimeError:  # a user id without an entry, as in containers
            return cls()
        return cls((str(home),) if home != Path(home.anchor) else ())

    def __call__(self, text: str) -> str:
        """The text cleaned (see `clean_text`) and without names in paths of home folders."""
        text = clean_text(text)
        for home in self.homes:
            if home in text:
                text = _whole(home).sub("~", text)
        if any(sign in text for sign in _HOME_SIGNS):
            text = _HOMES.sub(r"\g<folder>[user]", text)
        return text

    def run(self, run: Run) -> Run:
        """The run with every string in it redacted."""
        maybe = self._maybe
        return replace(
            run,
            reader=self(run.reader),
            status_detail=maybe(run.status_detail),
            ledger=tuple(replace(line, model=maybe(line.model)) for line in run.ledger),
            service_tier=maybe(run.service_tier),
            session_id=maybe(run.session_id),
            uuid=maybe(run.uuid),
            results=tuple(replace(result, uuid=self(result.uuid)) for result in run.results),
            started_at=maybe(run.started_at),
            agent_version=maybe(run.agent_version),
            caveats=tuple(Caveat(self(caveat.code), self(caveat.text)) for caveat in run.caveats),
            texts=self._texts(run.texts),
        )

    def problem(self, problem: Problem) -> Problem:
        """The problem with every string in it redacted."""
        return replace(
            problem,
            path=self(problem.path),
            code=self(problem.code),
            reason=self(problem.reason),
            place=self._maybe(problem.place),
            page_id=self._maybe(problem.page_id),
        )

    def _texts(self, texts: Texts) -> Texts:
        return Texts(
            summary=self._maybe(texts.summary),
            summary_origin=self._maybe(texts.summary_origin),
            errors=tuple(map(self, texts.errors)),
            denials=tuple(Denial(self(d.tool), self(d.wanted), self(d.input_json)) for d in texts.denials),
            structured_output=self._maybe(texts.structured_output),
            fields=tuple((self(path), self(value)) for path, value in texts.fields),
        )

    def _maybe(self, text: str | None) -> str | None:
        return None if text is None else self(text)
