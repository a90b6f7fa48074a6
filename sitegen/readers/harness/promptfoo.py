"""Reads results of promptfoo (`promptfoo eval -o results.json`): each entry, a test of a provider, is a run.

A provider, by its label or its id, is the agent, and the model where its id names one; where an evaluation compares
prompts, their number belongs to it. A test is what it fills in and asserts, in whatever order the entries are and
whatever their numbers: a repetition has a number of its own. `cached` is promptfoo's cache of answers, not that of the
provider. Tokens of judges are not those of the run; counts and costs of 0 are those of a provider that states none. The
time is when the evaluation began. What is older than version 3 was never seen on a real file.

| Field of an entry | Meaning |
|--|--|
| `provider.id`, `.label` | agent and model |
| `provider.config` | effort |
| `testCase.description` | the task; else the number of the test |
| `vars`, `testCase.assert` | with the description what identifies a test |
| `testIdx` | its number, by which repetitions differ |
| `promptId`, `promptIdx` | the prompt, where an evaluation compares several |
| `response.output` | the account |
| `response.tokenUsage` | tokens |
| `response.cached` | whether the provider was not asked |
| `response.error`, `error`, `failureReason` | the error; a reason of 2 is one, 1 a failed assertion |
| `cost`, `response.cost` | cost in USD |
| `latencyMs` | wall time |
| `success`, `gradingResult.pass` | the verdict |
| `score`, `namedScores`, `gradingResult.componentResults` | scores |
| `gradingResult.tokensUsed` | tokens of judges |

| Field of the file | Meaning |
|--|--|
| `evalId`, `results.timestamp` | the evaluation and its time |
| `metadata.promptfooVersion` | version |
"""

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from sitegen.model import ModelUsage, Outcome, ResultKey, Score, Status, Tokens
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.fields import compact, field_kinds, prompt_digest
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    is_true,
    ms_of,
    object_at,
    object_of,
    objects_in,
    objects_of,
    text_at,
    text_of,
    text_or_empty,
    value_at,
    words,
)
from sitegen.readers.common.stated import counts_of
from sitegen.readers.common.values import Caveats, agent_name
from sitegen.readers.kinds import EmptyResultsError
from sitegen.readers.run_file import RunFile
from sitegen.system.bounds import known_number, known_seconds

_EMPTY = "these are results of promptfoo without an entry, so there is no run in them"
_OF_ENTRY = words("promptIdx testIdx provider response")
_MARKS = words("version timestamp prompts stats table")
_MODEL = re.compile(
    r"(?!(?:file|python|exec|javascript|golang|ruby|https?|wss?|webhook|package|promptfoo|browser|mcp):)[\w.-]+:"
    r"(?:(?:chat|completions?|messages|responses|converse|text-generation|embeddings?|image|realtime|live|audio):)?"
    r"(?!(?:claude-agent-sdk|claude-code|codex-sdk|codex|agents?|assistant)\b)(\S.*)",
    re.DOTALL,
)
_COUNTS = (
    "prompt completionDetails.cacheReadInputTokens completionDetails.cacheCreationInputTokens completion "
    "completionDetails.reasoning - total"
)
# The reasons why an entry failed: an assertion, or an error
_ASSERTED = 1
_FAILED = 2


def parts(file: RunFile, caveats: Caveats) -> Iterator[list[Any]]:
    """Yield each entry, with what the file says of all. Raises: ReadError."""
    values = list(objects_in(JsonText(file, caveats)))
    if lines := [
        value for value in values if value.keys() >= _OF_ENTRY
    ]:  # as `-o results.jsonl` has them
        values = [{"results": {"version": None, "results": lines}}]
    for value in values:
        results = object_of(value, "results")
        if not isinstance(results.get("results"), list) or not results.keys() & _MARKS:
            continue
        entries = [entry for entry in objects_of(results, "results") if "provider" in entry]
        if not entries:
            raise EmptyResultsError(_EMPTY)
        stated = dict.fromkeys(map(_prompt, objects_of(results, "prompts")))
        prompts: dict[str, int] = {}
        if len(stated) > 1:
            prompts = {prompt: number for number, prompt in enumerate(stated, 1)}
        for entry, test in zip(entries, _tests(entries), strict=True):
            about = {
                "evalId": value.get("evalId"),
                "version": value_at(value, "metadata.promptfooVersion"),
                "timestamp": results.get("timestamp"),
                "prompt": prompts.get(_prompt(entry)),
                **test,
            }
            yield [{"about": about, "entry": entry}]


def _prompt(entry: Record) -> str:
    """Return what identifies a prompt, before it is filled in."""
    return text_of(entry, "promptId") or text_of(entry, "id") or compact(entry.get("label"))


def _digest(entry: Record) -> str:
    """Return what identifies a test in any file: what it fills in, and what it asserts."""
    test = object_of(entry, "testCase")
    told = (test.get("description"), entry.get("vars"), test.get("assert"))
    return prompt_digest(json.dumps(told, sort_keys=True))[:6]


def _tests(entries: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """Yield what is known of the test of each entry: its number, and which of its repetitions the entry is."""
    places: dict[str, set[int]] = {}
    digests = list(map(_digest, entries))
    for at, (entry, digest) in enumerate(zip(entries, digests, strict=True)):
        place = count_of(entry, "testIdx")
        places.setdefault(digest, set()).add(at if place is None else place)
    ordered = sorted(places, key=lambda digest: min(places[digest]))
    numbers = {digest: at for at, digest in enumerate(ordered, 1)}
    repeated = {digest: sorted(own) for digest, own in places.items() if len(own) > 1}
    attempts = {
        (digest, place): at for digest, own in repeated.items() for at, place in enumerate(own, 1)
    }
    for entry, digest in zip(entries, digests, strict=True):
        place = count_of(entry, "testIdx")
        attempt = None if place is None else attempts.get((digest, place))
        yield {"test": numbers[digest], "digest": digest, "attempt": attempt}


def read_entry(record: Record, run: RunBuilder) -> bool:
    about = object_of(record, "about")
    entry = object_of(record, "entry")
    if not about:
        return False
    _name(run, entry.get("provider"), about.get("prompt"))
    run.task = text_at(entry, "testCase.description") or f"test {about['test']}"
    run.evaluation = about["digest"]
    run.attempt = about["attempt"]
    run.version, run.started_ms = (
        text_of(about, "version"),
        ms_of(about, "timestamp"),
    )
    response = object_of(entry, "response")
    _use(run, response, entry)
    _judge(run, entry, response)
    output = response.get("output")
    if output is not None:
        run.summary = output if isinstance(output, str) else compact(output)
    run.cost_usd = run.amount_of(entry, "cost") or run.amount_of(response, "cost") or None
    # Lines of `-o results.jsonl` have no id: an entry is known by its place and its answer in both.
    at = [entry.get(name) for name in ("promptIdx", "testIdx", "latencyMs", "score", "success")]
    same = prompt_digest(compact([about["digest"], *at, run.model, run.summary, run.detail]))
    keys = filter(None, (text_of(entry, "id"), same if run.wall_ms else None))
    run.identity.keys = [ResultKey(key, run.cost_usd, run.wall_ms, None) for key in keys]
    run.list_fields(entry, "provider vars prompt testCase gradingResult namedScores metadata")
    run.list_fields(about, "evalId")
    run.check_fields(entry, "promptfoo")
    return True


def _name(run: RunBuilder, provider: object, prompt: int | None) -> None:
    """Set the agent and the model from a provider; `prompt` is its number where there are several."""
    stated: Record = provider if isinstance(provider, dict) else {"id": provider}
    id_ = text_or_empty(stated, "id")
    label = text_of(stated, "label")
    if found := _MODEL.fullmatch(id_):
        run.model = found[1]
    run.see_effort(
        stated, "config.reasoning_effort config.reasoning.effort config.model_reasoning_effort"
    )
    name = "promptfoo" if found else posixpath.basename(id_)
    if label and label != id_:
        name = label
    number = f" prompt {prompt}" if prompt else ""
    run.title = f"{agent_name(name)}{number} result"


def _use(run: RunBuilder, response: Record, entry: Record) -> None:
    usage = object_of(response, "tokenUsage") or object_of(entry, "tokenUsage")
    counts = counts_of(usage, _COUNTS)
    if is_true(response, "cached"):
        run.add_tokens(Tokens(), is_request=False)
        run.caveats.add(
            "W_MISSING", "The answer was in promptfoo's cache, so the provider was not asked."
        )
        return
    run.wall_ms = known_seconds((count_of(entry, "latencyMs") or 0) / 1000) or None
    if counts.sent or counts.output:
        run.add_usage(counts, is_request=False)
    else:
        run.note_no_usage()


def _read_grader(run: RunBuilder, grade: Record, entry: Record) -> None:
    """Take what models used that graded the answer, and which one, where all assertions name the same."""
    usage = object_of(grade, "tokensUsed") or object_at(entry, "tokenUsage.assertions")
    counts = counts_of(usage, _COUNTS)
    if not counts.sent and not counts.output:
        return
    assertions = [
        object_of(component, "assertion") for component in objects_of(grade, "componentResults")
    ]
    providers = {text_of(assertion, "provider") for assertion in assertions} - {None}
    named = _MODEL.fullmatch(str(providers.pop())) if len(providers) == 1 else None
    run.judge = (ModelUsage(named[1] if named else None, run.format.counts.tokens(counts)),)


def _judge(run: RunBuilder, entry: Record, response: Record) -> None:
    grade = object_of(entry, "gradingResult")
    success = entry.get("success")
    _read_grader(run, grade, entry)
    said = text_of(response, "error") or text_of(entry, "error")
    reason = entry.get("failureReason")
    run.status = Status.OK
    if said and (
        reason == _FAILED or text_of(response, "error") or (reason != _ASSERTED and not grade)
    ):
        run.fail(said)
        run.outcome = Outcome.ERROR
    elif isinstance(passed := success if isinstance(success, bool) else grade.get("pass"), bool):
        run.outcome = Outcome.PASS if passed else Outcome.FAIL
    components = objects_of(grade, "componentResults")
    named = [
        ("score", entry.get("score", grade.get("score"))),
        *object_of(entry, "namedScores").items(),
    ]
    for each in components:
        assertion = object_of(each, "assertion")
        named.append(
            (
                text_of(assertion, "metric") or text_of(assertion, "type") or "assertion",
                each.get("score"),
            )
        )
    found = Counter[str]()
    for name, value in named:
        found[name] += 1
        if (number := known_number(value)) is not None:
            count = f" {found[name]}" if found[name] > 1 else ""
            run.scores.append(Score(f"{name}{count}", number, higher_is_better=True))
    if (
        run.outcome is Outcome.PASS
        and not components
        and not objects_of(object_of(entry, "testCase"), "assert")
    ):
        run.caveats.add(
            "W_MISSING", "Its test asserts nothing, so passed means that there was an answer."
        )


PROMPTFOO_ENTRY = WholeFormat(
    Format(
        "promptfoo result",
        is_whole=True,
        field_kinds=field_kinds(
            fact="namedScores evalId",
            prompt="vars prompt testCase",
            content="gradingResult metadata",
            machine="provider",
        ),
    ),
    read_entry,
    split=parts,
)
