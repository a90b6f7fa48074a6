"""The share of the agent, and that of judges and of models that play its user, in what a sample of Inspect used.

`model_usage` of a sample counts the calls of all of them. The evaluated model is `eval.model`; `model_roles` names the
models of other roles, `role_usage` and the events of a sample count their calls. Where none of them separates two that
share a model, or a role may be anybody's, the agent keeps the usage, and that is said.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from sitegen.readers.common.records import (
    Record,
    count_of,
    object_at,
    object_of,
    objects_of,
    text_of,
    text_or_empty,
    usd_of,
    value_at,
    words,
)
from sitegen.readers.common.roles import is_judge, spelled

NO_MODEL = ("none", "none/none")
# Roles of models that work for the agent. Of a role that is neither here nor a judge's, nobody knows it.
_OF_AGENT = words(
    "agent subagent sub_agent main primary solver assistant target planner worker executor actor coder editor "
    "architect summarizer weak"
)
_COUNTS = (
    "input_tokens input_tokens_cache_read input_tokens_cache_write output_tokens "
    "reasoning_tokens total_tokens"
).split()
_COST = "total_cost"
_ASKS_A_MODEL = "model_graded"
_SCORING = ("scorer", "scorers")

Usages = dict[str, Record]


def evaluated_model(spec: Record) -> str | None:
    """Return the model that an evaluation is of; None where it has none of its own."""
    name = text_of(spec, "model")
    return None if name in NO_MODEL else name


def key_of(model: str | None, names: Collection[str | None]) -> str | None:
    """Return the model as usages name it: by its id, or by the only id that differs in its route alone."""
    if model is None or model in names:
        return model
    alike = [name for name in names if name and _bare(name) == _bare(model)]
    return alike[0] if len(alike) == 1 else None


def _bare(model: str) -> str:
    return model.rpartition("/")[2].lower()


class Shares:
    """The usage of a sample, by model, of the agent and of others; `spec` is `eval` of the log."""

    def __init__(self, spec: Record, sample: Record) -> None:
        usages = object_of(sample, "model_usage")
        self.agent: Usages = {name: object_of(usages, name) for name in usages}
        self.judge: Usages = {}
        self._doubts: dict[str, None] = {}
        self._sample = sample
        model = evaluated_model(spec)
        self._has_evaluated = model is not None
        self._evaluated = key_of(model, self.agent)
        if self._evaluated is None and len(self.agent) == 1:
            self._evaluated = next(iter(self.agent))
        self._roles = {
            role: list(_models_in(value)) for role, value in object_of(spec, "model_roles").items()
        }
        self._separated: set[str] = set()
        """Models of which a count says how much was not the agent's."""
        self._take_role_usage(object_of(sample, "role_usage"))
        self._take_calls()
        self._take_named_models(objects_of(spec, "scorers"))
        self._doubt_roles()
        for model in self.judge.keys() - {self._evaluated}:
            if not any(map(self.agent[model].get, _COUNTS)):
                del self.agent[model]

    @property
    def doubts(self) -> list[str]:
        """Sentences about usage of which the log does not say whose it is."""
        return list(self._doubts)

    def _take_role_usage(self, usages: Record) -> None:
        """Take what the log counts for the role of each judge."""
        for role in filter(is_judge, usages):
            usage = object_of(usages, role)
            if not usage:
                continue
            keys = {key_of(model, self.agent) for model in self._roles.get(role, ())} - {None}
            if not keys:
                keys = {
                    name
                    for name in self.agent
                    if name != self._evaluated and _less(self.agent[name], usage)
                }
            if len(keys) == 1:
                self._take_part(str(keys.pop()), usage)
            elif self._separated.isdisjoint(keys):
                self._doubt(f"does not say which model worked in the role “{role[:100]}”")

    def _take_calls(self) -> None:
        """Take the calls of which events say that a judge or a scorer made them."""
        by_model: Usages = {}
        for event in self._calls_of_judges():
            model = key_of(text_of(event, "model"), self.agent)
            usage = object_at(event, "output.usage")
            if model is not None and usage:
                by_model[model] = _sum(by_model.get(model, {}), usage)
        for model, usage in by_model.items():
            if model not in self._separated:
                self._take_part(model, usage)

    def _calls_of_judges(self) -> Iterator[Record]:
        spans: set[str] = set()
        depth = 0
        for event in objects_of(self._sample, "events"):
            kind = event.get("event")
            if kind == "span_begin" and (
                event.get("type") in _SCORING or text_of(event, "parent_id") in spans
            ):
                spans.add(text_or_empty(event, "id"))
            elif kind == "step" and event.get("type") in _SCORING:
                depth += 1 if event.get("action") == "begin" else -1
            elif kind == "model" and (
                depth > 0 or text_of(event, "span_id") in spans or is_judge(event.get("role"))
            ):
                yield event

    def _take_named_models(self, scorers: Sequence[Record]) -> None:
        """Take all usage of models that only judge, as far as nothing counts their calls."""
        judges = [
            *chain.from_iterable(models for role, models in self._roles.items() if is_judge(role))
        ]
        for scorer in scorers:
            judges += _models_in(value_at(scorer, "options.model"))
            asks = text_or_empty(scorer, "name").rpartition("/")[2].startswith(_ASKS_A_MODEL)
            if asks and self._evaluated and not judges and not self.judge:
                judges.append(self._evaluated)
        own = self._models_of_agent()
        is_scored = bool(self._sample.get("scores"))
        for key in dict.fromkeys(key_of(model, self.agent) for model in judges):
            if key is None or key in self._separated:
                continue
            if key != self._evaluated and _bare(key) not in own:
                self._take_part(key, self.agent[key])
            elif is_scored:
                self._doubt(
                    f"does not separate what {key[:100]} used as a judge from what it used for the agent"
                )
        for key in self.agent if self._has_evaluated and is_scored else ():
            if key not in (self._evaluated, *self._separated, *judges) and _bare(key) not in own:
                self._doubt(f"does not say whether {key[:100]} worked for the agent or judged it")

    def _models_of_agent(self) -> set[str]:
        """Return the models that wrote messages of the agent, or that work in a role that may be its own."""
        written = (text_of(message, "model") for message in objects_of(self._sample, "messages"))
        roles = (models for role, models in self._roles.items() if not is_judge(role))
        return {_bare(model) for model in chain(written, *roles) if model}

    def _doubt_roles(self) -> None:
        """Say of which roles nobody knows whether they are the agent's, where their models used anything."""
        shared = self.agent.keys() - self._separated
        for role, models in self._roles.items():
            is_known = is_judge(role) or spelled(role) in _OF_AGENT
            if not is_known and any(key_of(model, shared) for model in models):
                self._doubt(
                    f"does not say whether the role “{role[:100]}” is the agent’s or a judge’s"
                )

    def _take_part(self, model: str, usage: Record) -> None:
        self._separated.add(model)
        rest = _less(self.agent[model], usage)
        if rest is None:
            self._doubt(f"counts more tokens for another role than {model[:100]} used in all")
            return
        self.judge[model] = _sum(self.judge[model], usage) if model in self.judge else usage
        self.agent[model] = rest

    def _doubt(self, text: str) -> None:
        self._doubts[f"Its log {text}, so these tokens are among the agent’s."] = None


def _models_in(value: object) -> Iterator[str]:
    """Yield the models of a role: an id, an object with it, or several of them."""
    for each in value[:20] if isinstance(value, list) else (value,):
        name = text_of(each, "model") or text_of(each, "name") if isinstance(each, dict) else each
        if isinstance(name, str) and name and name not in NO_MODEL:
            yield name


def _sum(first: Record, second: Record) -> Record:
    added: dict[str, object] = {}
    for name in _COUNTS:
        counts = [
            count for usage in (first, second) if (count := count_of(usage, name)) is not None
        ]
        if counts:
            added[name] = sum(counts)
    costs = [cost for usage in (first, second) if (cost := usd_of(usage, _COST)) is not None]
    if len(costs) == 1 + bool(first):  # else a call has no cost
        added[_COST] = math.fsum(costs)
    return added


def _less(whole: Record, part: Record) -> Record | None:
    """Return a usage without a part of it; None where a count of the part is larger."""
    rest: dict[str, object] = {}
    for name in _COUNTS:
        count = count_of(whole, name)
        taken = count_of(part, name) or 0
        if taken > (count or 0):
            return None
        if count is not None:
            rest[name] = count - taken
    cost = usd_of(whole, _COST)
    paid = usd_of(part, _COST)
    if cost is not None and paid is not None and paid <= cost:
        rest[_COST] = cost - paid
    return rest
