"""Reads `result.json` of a trial of Harbor: which agent tried which task, what it used, and what the verifier said.

What was sent has what came from the cache in it. The verifier's rewards are scores; a trial passed where they are all
1 (or `reward` alone is, where it stands beside others), failed where that is 0, and did a part where it lies between.
The time is that of the agent; where it is not stated, that of the trial. What an agent wrote itself lies in `agent/`
beside it; the two are one run, see `inputs.run_folders`. Where more came from the cache than was sent, what was sent
excludes it.

| Field | Meaning |
|--|--|
| `task_name`, `trial_name`, `id` | task, name and identity of the trial |
| `agent_info.name`, `.version`, `.model_info` | agent, version, model |
| `config.agent.kwargs` | effort |
| `agent_result.n_input_tokens`, `.n_cache_tokens`, `.n_output_tokens` | tokens of all requests |
| `agent_result.cost_usd` | cost in USD |
| `step_results` | the same for each step of a trial that has several |
| `started_at`; `agent_execution`, else `started_at` and `finished_at` | beginning; wall time |
| `exception_info.exception_type`, `.exception_message` | why it ended early |
| `verifier_result.rewards`, `.reward` | scores and verdict |
"""

from sitegen.model import Outcome, Score, Status, sum_complete
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.endings import ended_by, ends_of
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    lasted,
    ms_of,
    number_in,
    object_of,
    objects_of,
    text_of,
    text_or_empty,
)
from sitegen.readers.common.stated import Counts
from sitegen.readers.common.values import agent_name
from sitegen.system.bounds import known_number

_WHY = ends_of("harbor")


def read_harbor_trial(record: Record, run: RunBuilder) -> bool:
    info = object_of(record, "agent_info")
    if not text_of(record, "trial_name") or not info or "task_name" not in record:
        return False
    run.title = f"{agent_name(text_of(info, 'name') or 'Harbor')} trial"
    run.version = text_of(info, "version")
    model = object_of(info, "model_info")
    run.model = text_of(model, "name") or text_of(model, "model_name")
    run.see_effort(record, "config.agent.kwargs.reasoning_effort config.agent.kwargs.effort")
    run.task = text_of(record, "task_name")
    steps = objects_of(record, "step_results")
    holders = [record] if record.get("agent_result") else steps
    _use(run, [object_of(holder, "agent_result") for holder in holders])
    run.started_ms = ms_of(record, "started_at")
    # Where it is null, the agent never ran.
    timed = object_of(record, "agent_execution") if "agent_execution" in record else record
    run.wall_ms = lasted(timed, "started_at", "finished_at")
    failures = [object_of(holder, "exception_info") for holder in (record, *steps)]
    failure = next(filter(None, failures), {})
    _end(run, failure)
    verdict = object_of(record, "verifier_result")
    reward = {"reward": verdict["reward"]} if "reward" in verdict else {}
    _judge(run, object_of(verdict, "rewards") or reward)
    run.use_key(text_of(record, "id"))
    run.list_fields(record, "trial_name source task_checksum config")
    # It may quote the prompt and what a tool returned.
    if message := text_of(failure, "exception_message"):
        run.fields["exception_message"] = message
    run.check_fields(record, "harbor")
    return True


def _use(run: RunBuilder, results: list[Record]) -> None:
    """Add the agent's usage, over the steps of a trial that has several."""
    never_writes = "claude" not in (run.model or "").lower()
    lacks = False
    for result in results:
        sent = count_of(result, "n_input_tokens")
        cached = count_of(result, "n_cache_tokens")
        output = count_of(result, "n_output_tokens")
        if sent or output:  # counts of 0 are those of an agent that states none
            counts = Counts(sent, cached, 0 if never_writes else None, output)
            run.add_usage(counts, is_request=False)
        lacks |= sent is None and output is None
    if lacks and run.tokens.by_model:
        run.tokens.is_lower_bound = True
        run.caveats.add("W_MISSING", "A step reports no tokens, so usage is a lower bound.")
    run.cost_usd = sum_complete(run.amount_of(result, "cost_usd") for result in results) or None
    if not run.tokens.by_model:
        run.note_no_usage()


def _end(run: RunBuilder, exception: Record) -> None:
    kind = text_of(exception, "exception_type")
    message = text_or_empty(exception, "exception_message")
    if kind is None:
        run.end(Status.OK)
        return
    run.errors[kind] = None
    ending = next((end for word, end in _WHY.items() if word in kind), None)
    run.end(*(ending or ended_by(f"{kind}: {message}")))


def _judge(run: RunBuilder, rewards: Record) -> None:
    """Set the scores and the outcome from the verifier's rewards."""
    known: dict[str, float] = {}
    for name, value in sorted(rewards.items()):
        number = known_number(float(value) if isinstance(value, bool) else number_in(value))
        if number is not None:
            known[name] = number
    run.scores = [Score(name, value, None, higher_is_better=True) for name, value in known.items()]
    deciding = [known["reward"]] if "reward" in known else list(known.values())
    if not deciding:
        run.outcome = Outcome.ERROR if run.errors else None
    elif all(value == 1 for value in deciding):
        run.outcome = Outcome.PASS
    else:
        run.outcome = Outcome.FAIL if all(value <= 0 for value in deciding) else Outcome.PARTIAL


HARBOR_TRIAL = WholeFormat(
    Format(
        "Harbor trial",
        is_whole=True,
        folder="harbor",
        field_kinds=field_kinds(fact="trial_name source task_checksum"),
    ),
    read_harbor_trial,
)
