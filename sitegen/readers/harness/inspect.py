"""Reads the logs of Inspect (inspect_ai): `.eval`, which is a zip, and `.json`; each sample of each epoch is a run.

In a zip, names alone say what is a sample, whole or in chunks; the log of an evaluation that was killed has no header,
and its journal stands in. Older logs count what was read from the cache in the input as well, newer ones do not, and
some providers count reasoning outside of output: the total of each model tells. `turns` are messages of the assistant.
A letter is a verdict: C passed, I and N failed, P did a part; so is 1 or 0 where the log takes an accuracy of it. All
other values are scores. Of several scorers, or values of one, none decides: settings may name a score. Whose usage is
whose is in `inspect_roles`. Chunks, and members packed by Zstandard, were never seen on a real file; they follow
inspect_ai 0.3.285, which itself is not used: it pulls 50 packages and takes a second to load.

| Field of a log | Meaning |
|--|--|
| `eval.task` | the evaluation; before the id of a sample that is a number |
| `eval.model`, `.model_roles` | the models and their roles, see `inspect_roles` |
| `eval.model_generate_config.reasoning_effort` | effort |
| `eval.packages.inspect_ai` | version |
| `eval.config.epochs` | attempts at each sample |
| `eval.scorers.metrics`, `results.scores.metrics` | whether an accuracy is taken of a value |
| `status` | whether the evaluation was cancelled, or goes on |

| Field of a sample | Meaning |
|--|--|
| `id`, `epoch`, `uuid` | task, attempt, identity |
| `messages`, `attachments` | steps, and long texts of them |
| `output.choices` | the last words |
| `model_usage`, `role_usage` | tokens and `total_cost` by model, and by role |
| `started_at`, `events.timestamp`, `total_time` | beginning, seconds |
| `error.message`, `limit.type` | why it ended early |
| `scores` | values by scorer |
"""

import re
from collections.abc import Iterator
from typing import Any

from sitegen.errors import ReadError
from sitegen.model import (
    ModelUsage,
    Outcome,
    Score,
    Status,
    Tokens,
    sum_complete,
)
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.chat import add_message
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.packed import Zip
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    ms_of,
    object_of,
    objects_of,
    seconds_of,
    text_at,
    text_of,
    text_or_empty,
    texts_in,
)
from sitegen.readers.common.stated import CountRule, Stated, counts_of
from sitegen.readers.common.values import Caveats
from sitegen.readers.harness.inspect_roles import Shares, evaluated_model, key_of
from sitegen.readers.kinds import EmptyResultsError
from sitegen.readers.run_file import RunFile
from sitegen.system.bounds import known_number

_SAMPLE = re.compile(r"samples/(.+?)(?:\.json|/sample\.json)")
_LETTERS = {"C": Outcome.PASS, "I": Outcome.FAIL, "N": Outcome.FAIL, "P": Outcome.PARTIAL}
# Verdicts as Inspect counts them in an accuracy: as scores where several stand side by side.
_AS_NUMBERS = {Outcome.PASS: 1.0, Outcome.FAIL: 0.0, Outcome.PARTIAL: 0.5}
_NUMBERS: dict[float, Outcome] = {1: Outcome.PASS, 0: Outcome.FAIL}
_COUNTS = "input_tokens input_tokens_cache_read input_tokens_cache_write output_tokens reasoning_tokens - total_tokens"
_EMPTY = "it is an Inspect log without samples, so it contains no runs; its setting log_samples decides that"


def parts(file: RunFile, caveats: Caveats) -> Iterator[list[Any]]:
    """Yield each sample, with what the log says of all. Raises: ReadError."""
    found = None
    for found in (
        _zipped(file, caveats) if file.head.startswith(b"PK\3\4") else _listed(file, caveats)
    ):
        yield [found]
    if found is None:
        raise EmptyResultsError(_EMPTY)


def _listed(file: RunFile, caveats: Caveats) -> Iterator[Record]:
    """Yield the samples of a `.json`; something that is not a log has none, which is not a fault."""
    for log in JsonText(file, caveats):
        if not _is_log(log):
            yield {}
        else:
            yield from ({"log": log, "sample": sample} for sample in objects_of(log, "samples"))


def _is_log(value: object) -> bool:
    return (
        isinstance(value, dict) and isinstance(value.get("eval"), dict) and "task" in value["eval"]
    )


def _zipped(file: RunFile, caveats: Caveats) -> Iterator[Record]:
    packed = Zip(file)

    def read(name: str) -> Any:
        whole = RunFile.of(name, packed.read(name))
        return next(iter(JsonText(whole, caveats)), None)

    header = next(
        (name for name in ("header.json", "_journal/start.json") if name in packed.members), None
    )
    log = read(header) if header else None
    if not _is_log(log):
        yield {}
        return
    faults: list[ReadError] = []
    found = 0
    for name in sorted(packed.members, key=_by_number):
        if not _SAMPLE.fullmatch(name):
            continue
        try:
            sample = read(name)
            if name.endswith("/sample.json") and isinstance(sample, dict):
                sample = _whole(sample, name.removesuffix("sample.json"), packed, read)
        except ReadError as error:
            faults.append(error)
            continue
        if isinstance(sample, dict):
            found += 1
            yield {"log": log, "sample": sample}
    if faults and not found:
        raise faults[0]
    if faults:
        one = "1 sample cannot be read and is"
        more = f"{len(faults):,} samples cannot be read and are"
        caveats.add(
            "W_BAD_LINE", f"{one if len(faults) == 1 else more} left out: {faults[0].reason}."
        )


def _by_number(name: str) -> tuple[list[int], str]:
    """Samples in the order of their numbers."""
    return [*map(int, re.findall(r"(?<![0-9])[0-9]{1,17}(?![0-9])", name))], name


def _whole(shell: dict[str, Any], folder: str, packed: Zip, read: Any) -> dict[str, Any]:
    """Return a sample in chunks, put together: its messages, and the texts that these refer to."""

    def sequence(kind: str) -> list[Any]:
        chunk_of = re.compile(re.escape(f"{folder}{kind}/") + r"[0-9]{1,12}\.json")
        chunks = map(read, sorted(filter(chunk_of.fullmatch, packed.members), key=_by_number))
        return [item for chunk in chunks if isinstance(chunk, list) for item in chunk]

    messages = sequence("messages")
    texts = sequence("attachments")
    refs = shell.get("message_refs")
    if isinstance(refs, list):
        messages = [message for ref in refs for message in _referred(ref, messages)]
    attachments = {str(number): text for number, text in enumerate(texts)}
    return {**shell, "messages": messages, "attachments": attachments}


def _referred(ref: object, messages: list[Any]) -> list[Any]:
    """Return the messages that a reference means: a number, or a beginning and an end."""
    if type(ref) is int:
        return messages[ref : ref + 1] if ref >= 0 else []
    if (
        isinstance(ref, list)
        and len(ref) == 2
        and all(type(end) is int and end >= 0 for end in ref)
    ):
        return messages[ref[0] : ref[1]]
    return []


def read_sample(record: Record, run: RunBuilder) -> bool:
    log = object_of(record, "log")
    sample = object_of(record, "sample")
    if "id" not in sample or not log:
        return False
    spec = object_of(log, "eval")
    task = text_or_empty(spec, "task")
    id_ = str(sample["id"])
    run.evaluation = task or None
    run.task = id_ if any(map(str.isalpha, id_)) else f"{task} {id_}".strip()
    config = object_of(spec, "config")
    epoch = count_of(sample, "epoch")
    epochs = count_of(config, "epochs")
    run.attempt = epoch if (epochs or epoch or 1) > 1 else None
    run.model = evaluated_model(spec)
    run.see_effort(spec, "model_generate_config.reasoning_effort")
    run.version = text_at(spec, "packages.inspect_ai")
    _use(run, Shares(spec, sample))
    run.leading_model = key_of(run.model, run.tokens.by_model)
    _tell(run, sample)
    run.started_ms = ms_of(sample, "started_at") or _first_time(sample)
    run.wall_ms = seconds_of(sample, "total_time")
    _end(run, sample, text_of(log, "status"))
    _judge(run, object_of(sample, "scores"), log)
    run.use_key(text_of(sample, "uuid"))
    run.list_fields(spec, "run_id eval_id task task_file dataset config revision", "eval.")
    run.list_fields(sample, "target scores limit", "sample.")
    run.check_fields(sample, "inspect", "sample.")
    return True


def _use(run: RunBuilder, shares: Shares) -> None:
    for name, usage in shares.agent.items():
        run.add_tokens(_tokens(run, name, usage, is_judge=False), is_request=False, model=name)
    run.judge = tuple(
        ModelUsage(
            name,
            _tokens(run, name, usage, is_judge=True),
            run.amount_of(usage, "total_cost") or None,
        )
        for name, usage in sorted(shares.judge.items())
    )
    run.cost_usd = (
        sum_complete(run.amount_of(usage, "total_cost") for usage in shares.agent.values()) or None
    )
    if not shares.agent:
        run.note_no_usage()
    for doubt in shares.doubts:
        run.caveats.add("W_JUDGE", doubt)


def _tokens(run: RunBuilder, model: str, usage: Record, *, is_judge: bool) -> Tokens:
    stated = Stated(run.format.counts)
    counts = counts_of(usage, _COUNTS)
    tokens = _whole_tokens(stated.take(model, counts), counts.total)
    if not is_judge:
        run.tokens.is_lower_bound |= stated.contradict(run.caveats)
    elif stated.contradict(Caveats()):
        run.caveats.add("W_CONTRADICTION", "The counts of tokens of a judge contradict each other.")
    return tokens


def _tell(run: RunBuilder, sample: Record) -> None:
    attached = object_of(sample, "attachments")
    said = 0
    for message in objects_of(sample, "messages"):
        said += message.get("role") == "assistant"
        add_message(
            run, {**message, "content": _with_attachments(message.get("content"), attached)}
        )
    run.turns = said or None
    output = object_of(sample, "output")
    last = next(
        (texts_in(object_of(c, "message"), "content") for c in objects_of(output, "choices")),
        "",
    )
    if last.strip():
        run.summary = text_of(attached, last.removeprefix(_ATTACHED)) or last


def _end(run: RunBuilder, sample: Record, status: str | None) -> None:
    error = object_of(sample, "error")
    limit = object_of(sample, "limit")
    run.end(Status.OK)
    if said := text_of(error, "message"):
        run.fail(said)
    elif kind := text_of(limit, "type"):
        is_operator = kind == "operator"
        run.end(*((Status.STOPPED, kind) if is_operator else (Status.FAILED, f"{kind} limit")))
    elif status in ("cancelled", "started") and not sample.get("scores"):
        run.status = Status.INTERRUPTED


def _judge(run: RunBuilder, scores: Record, log: Record) -> None:
    rated = _with_accuracy(log)
    values = [
        (name, *keyed) for name in sorted(scores) for keyed in _values_of(object_of(scores, name))
    ]
    scorers = objects_of(object_of(log, "eval"), "scorers")
    is_only = len(values) == 1 and len(scorers) < 2  # no log says which of several decides
    for name, key, value in values:
        verdict = _verdict(value, is_rated=name in rated)
        run.outcome = verdict if is_only else None
        number = known_number(value)
        if number is None and verdict and not is_only:
            number = _AS_NUMBERS[verdict]
        if number is not None:
            run.scores.append(Score(f"{name} {key}".strip(), number))
    if not scores and run.errors:
        run.outcome = Outcome.ERROR


INSPECT_SAMPLE = WholeFormat(
    Format(
        "Inspect sample",
        is_whole=True,
        counts=CountRule(sent_includes_read=False, sent_includes_written=False),
        field_kinds=field_kinds(fact="eval.dataset.sample_ids", machine="eval.revision.origin"),
    ),
    read_sample,
    split=parts,
)


def _values_of(score: Record) -> list[tuple[str, object]]:
    """Return the values of a score, which may have several, each with its key."""
    value = score.get("value")
    return sorted(value.items())[:50] if isinstance(value, dict) else [("", value)]


def _verdict(value: object, *, is_rated: bool) -> Outcome | None:
    if isinstance(value, bool):
        return Outcome.PASS if value else Outcome.FAIL
    if isinstance(value, str):
        return _LETTERS.get(value)
    return _NUMBERS.get(value) if is_rated and isinstance(value, int | float) else None


def _with_accuracy(log: Record) -> set[str]:
    """Return the scorers of whose values the log takes an accuracy: there 1 is right and 0 is wrong."""
    scores = objects_of(object_of(log, "results"), "scores")
    names = {
        text_of(s, "scorer") or text_or_empty(s, "name")
        for s in scores
        if "accuracy" in object_of(s, "metrics")
    }
    for scorer in objects_of(object_of(log, "eval"), "scorers"):
        metrics = objects_of(scorer, "metrics")
        if any("accuracy" in (text_or_empty(metric, "name")) for metric in metrics):
            names.add(text_or_empty(scorer, "name"))
    return names


def _whole_tokens(tokens: Tokens, total: int | None) -> Tokens:
    """Kinds of the cache that a usage leaves out are none where the others come to its total, and else unknown."""
    if tokens.input is None or tokens.total != total:
        return tokens
    return Tokens(tokens.input, tokens.cache_write or 0, tokens.cache_read or 0, tokens.output)


_ATTACHED = "attachment://"


def _with_attachments(content: object, attached: Record) -> object:
    """Return a content with the texts that it refers to in their places."""
    if isinstance(content, str) and content.startswith(_ATTACHED):
        return text_of(attached, content.removeprefix(_ATTACHED)) or content
    if not isinstance(content, list):
        return content
    return [  # one level only: lists within may be nested too deeply to follow
        {**block, "text": _with_attachments(block["text"], attached)}
        if isinstance(block, dict) and isinstance(block.get("text"), str)
        else block
        for block in content
    ]


def _first_time(sample: Record) -> int | None:
    """The time of its first event."""
    events = objects_of(sample, "events") or objects_of(object_of(sample, "transcript"), "events")
    return next(
        (ms for event in events[:5] if (ms := ms_of(event, "timestamp")) is not None),
        None,
    )
