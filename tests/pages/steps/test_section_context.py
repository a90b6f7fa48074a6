"""What a page says of the context: that it grew, fell and was compacted, as far as the record shows it."""

from __future__ import annotations

import pytest

from sitegen.model import Tokens
from sitegen.pages.steps.section import context_sentence
from sitegen.pages.steps.story import Story
from sitegen.readers.codex.rollout import Rollout
from sitegen.readers.codex.stream import CodexExec
from sitegen.readers.common.call_counts import added
from sitegen.readers.gemini import GeminiChat
from sitegen.steps import Step, StepKind

K = 1_000


def story_of(*contexts: int | str, lane: str = "") -> Story:
    """Return the story of messages with these contexts; a text is a compaction."""
    story = Story(lambda _model, _tokens: None)
    for number, sent in enumerate(contexts):
        if isinstance(sent, str):
            story.add(Step(number, StepKind.COMPACTION, number))
        else:
            story.add(
                Step(
                    number,
                    StepKind.TEXT,
                    number,
                    text="x",
                    lane=lane,
                    tokens=Tokens(sent),
                    context_tokens=sent,
                )
            )
    return story


@pytest.mark.parametrize(
    ("contexts", "recorded", "sentence"),
    [
        ((20 * K, 90 * K), 0, "grew from 20.0 k to 90.0 k tokens and was never compacted."),
        ((20 * K, 90 * K), None, "grew from 20.0 k to 90.0 k tokens."),
        ((20 * K, 20 * K), 0, "stayed at 20.0 k tokens and was never compacted."),
        (
            (20 * K, 160 * K, 30 * K),
            0,
            "to 160 k tokens and fell from 160 k to 30.0 k; no compaction is recorded.",
        ),
        (
            (20 * K, 160 * K, 30 * K),
            None,
            "to 160 k tokens and fell from 160 k to 30.0 k; no compaction is recorded.",
        ),
        (
            (20 * K, 160 * K, 30 * K, 150 * K, 25 * K, 40 * K),
            0,
            "to 160 k tokens and fell 2 times, most from 160 k to 30.0 k; no compaction is recorded.",
        ),
        (
            (160 * K, 30 * K),
            0,
            "began at 160 k tokens and fell from 160 k to 30.0 k; no compaction is recorded.",
        ),
        ((20 * K, 160 * K, "", 30 * K), 1, "to 160 k tokens and was compacted once."),
        ((100 * K, 75 * K, 110 * K), 0, "to 110 k tokens and was never compacted."),
        ((12 * K, 5 * K, 13 * K), 0, "to 13.0 k tokens and was never compacted."),
        (
            (20 * K, 100 * K, 2 * K, 40 * K),
            None,
            "fell from 100 k to 2.00 k; no compaction is recorded.",
        ),
        ((20 * K, 100 * K, 2 * K, 101 * K), 0, "to 101 k tokens and was never compacted."),
    ],
)
def test_sentence_on_the_context(
    contexts: tuple[int | str, ...], recorded: int | None, sentence: str
) -> None:
    assert context_sentence(story_of(*contexts), recorded).replace("\u202f", " ").endswith(sentence)


def test_contexts_of_subagents_are_no_falls() -> None:
    story = story_of(20 * K, 100 * K)
    for number, sent in enumerate((5 * K, 80 * K, 6 * K)):
        story.add(
            Step(
                number,
                StepKind.TEXT,
                number,
                text="x",
                lane="a",
                tokens=Tokens(sent),
                context_tokens=sent,
            )
        )
    assert story.context.falls == []


def test_compactions_are_unknown_where_the_format_does_not_record_them() -> None:
    session, stream, chat = (reader().run.counts() for reader in (Rollout, CodexExec, GeminiChat))
    assert (session.compactions, stream.compactions, chat.compactions) == (0, None, None)
    both = added(session, chat)
    assert both is not None and both.compactions is None
