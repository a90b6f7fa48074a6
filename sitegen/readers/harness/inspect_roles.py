"""The share of the agent, and that of judges and other roles, in what a sample of Inspect used.

`model_usage` of a sample counts the calls of all of them. The evaluated model is `eval.model`; `model_roles` names the
models of other roles, `role_usage` and the events of a sample count their calls. Where none of them separates two that
share a model, the agent keeps the usage, and that is said.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from sitegen.readers.common.records import Record, count_of, object_of, objects_of, text_of, usd_of, words
from sitegen.readers.common.roles import is_judge, spelled

NO_MODEL = ("none", "none/none")
# Roles of models that work for the agent: usage of all others is not the agent's, where a model is evaluated.
_OF_AGENT = words(
    "agent subagent sub_agent main primary solver assistant target planner worker executor actor coder editor "
    "architect summarizer weak"
)
_COUNTS = (
    "input_tokens",
    "input_tokens_cache_read",
    "input_tokens_cache_write",
    "output_tokens",
    "reasoning_tokens",
    "total_tokens",
)
_COST = "total_cost"
_ASKS_A_MODEL = "model_graded"
_SCORING = ("scorer", "scorers")
MAX_DOUBTS = 5

Usages = dict[str, Record]


class Shares(NamedTuple):
    """The usage of a sample, by model."""

    agent: Usages
    judge: Usages
    doubts: tuple[str, ...]
    """Sentences about usage of which the log does not say whose it is."""


def split_usage(spec: Record, sample: Record) -> Shares:
    """Return the share of the agent and that of other roles; `spec` is `eval` of the log."""
    split = _Split(spec, sample)
    split.take_role_usage(object_of(sample, "role_usage"))
    split.take_calls()
    split.take_named_models()
    return Shares(split.agent, split.judge, tuple(split.doubts)[:MAX_DOUBTS])


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


class _Split:
    def __init__(self, spec: Record, sample: Record) -> None:
        usages = object_of(sample, "model_usage")
        self.agent: Usages = {name: object_of(usages, name) for name in usages}
        self.judge: Usages = {}
        self.doubts: dict[str, None] = {}
        self._all = frozenset(self.agent)
        self._sample = sample
        model = evaluated_model(spec)
        self._has_evaluated = model is not None
        self._evaluated = key_of(model, self.agent)
        if self._evaluated is None and len(self.agent) == 1:
            self._evaluated = next(iter(self.agent))
        self._roles = {role: list(_models_in(value)) for role, value in object_of(spec, "model_roles").items()}
        self._scorers = objects_of(spec, "scorers")
        self._separated = set[str]()
        """Models of which a count says how much was not the agent's."""

    def _is_other(self, role: object) -> bool:
        """Return whether a role is not the agent's."""
        if not isinstance(role, str) or not role:
            return False
        return spelled(role) not in _OF_AGENT if self._has_evaluated else is_judge(role)

    def take_role_usage(self, usages: Record) -> None:
        """Take what the log counts for each role."""
        for role in usages:
            usage = object_of(usages, role)
            if not self._is_other(role) or not usage:
                continue
            keys = {key_of(model, self.agent) for model in self._roles.get(role, ())} - {None}
            if not keys:
                keys = {name for name in self.agent if name != self._evaluated and _less(self.agent[name], usage)}
            if len(keys) == 1:
                self._take_part(str(keys.pop()), usage)
            elif not any(key in self._separated for key in keys):
                self._doubt(f"does not say which model worked in the role “{role[:100]}”")

    def take_calls(self) -> None:
        """Take the calls of which events say that a role or a scorer made them."""
        by_model: Usages = {}
        for event in self._calls_of_others():
            model = key_of(text_of(event, "model"), self._all)
            usage = object_of(object_of(event, "output"), "usage")
            if model is not None and usage:
                by_model[model] = _sum(by_model.get(model, {}), usage)
        for model, usage in by_model.items():
            if model not in self._separated:
                self._take_part(model, usage)

    def _calls_of_others(self) -> Iterator[Record]:
        spans, depth = set[str](), 0
        for event in objects_of(self._sample, "events"):
            kind = event.get("event")
            if kind == "span_begin" and (event.get("type") in _SCORING or text_of(event, "parent_id") in spans):
                spans.add(text_of(event, "id") or "")
            elif kind == "step" and event.get("type") in _SCORING:
                depth += 1 if event.get("action") == "begin" else -1
            elif kind == "model":
                is_scoring = depth > 0 or text_of(event, "span_id") in spans
                if is_scoring or self._is_other(event.get("role")):
                    yield event

    def take_named_models(self) -> None:
        """Take all usage of models that only judge, as far as nothing counts their calls."""
        judges = [model for role, models in self._roles.items() if self._is_other(role) for model in models]
        for scorer in self._scorers:
            options = object_of(scorer, "options")
            judges += _models_in(options.get("model"))
            asks = (text_of(scorer, "name") or "").rpartition("/")[2].startswith(_ASKS_A_MODEL)
            if asks and self._evaluated and not judges and not self.judge:
                judges.append(self._evaluated)
        own = self._models_of_agent()
        for model in dict.fromkeys(judges):
            key = key_of(model, self.agent)
            if key is None or key in self._separated or key in self.judge:
                continue
            if (key == self._evaluated or _bare(key) in own) and not self._sample.get("scores"):
                continue
            if key == self._evaluated or _bare(key) in own:
                self._doubt(f"does not separate what {key[:100]} used as a judge from what it used for the agent")
            else:
                self.judge[key] = self.agent.pop(key)
        for key in self.agent if self._has_evaluated and self._sample.get("scores") else ():
            if key not in (self._evaluated, *self._separated, *judges) and _bare(key) not in own:
                self._doubt(f"does not say whether {key[:100]} worked for the agent or judged it")

    def _models_of_agent(self) -> set[str]:
        """Return the models that wrote messages of the agent, or that work in a role of it."""
        written = (text_of(message, "model") for message in objects_of(self._sample, "messages"))
        roles = (model for role, models in self._roles.items() if not self._is_other(role) for model in models)
        return {_bare(model) for model in (*written, *roles) if model}

    def _take_part(self, model: str, usage: Record) -> None:
        whole = self.agent.get(model)
        rest = None if whole is None else _less(whole, usage)
        if rest is None:
            self._doubt(f"counts more tokens for another role than {model[:100]} used in all")
            self._separated.add(model)
            return
        self._separated.add(model)
        self.judge[model] = _sum(self.judge.get(model, {}), usage)
        if any(rest.get(name) for name in _COUNTS) or model == self._evaluated:
            self.agent[model] = rest
        else:
            del self.agent[model]

    def _doubt(self, text: str) -> None:
        self.doubts[f"Its log {text}, so these tokens are among the agent’s."] = None


def _models_in(value: object) -> Iterator[str]:
    """Yield the models of a role: an id, an object with it, or several of them."""
    for each in value[:20] if isinstance(value, list) else (value,):
        name = text_of(each, "model") or text_of(each, "name") if isinstance(each, dict) else each
        if isinstance(name, str) and name and name not in NO_MODEL:
            yield name


def _sum(first: Record, second: Record) -> Record:
    added: dict[str, object] = {}
    for name in _COUNTS:
        counts = [count for usage in (first, second) if (count := count_of(usage, name)) is not None]
        if counts:
            added[name] = sum(counts)
    costs = [cost for usage in (first, second) if (cost := usd_of(usage, _COST)) is not None]
    if len(costs) == 1 + bool(first):  # else a call has no cost
        added[_COST] = sum(costs)
    return added


def _less(whole: Record, part: Record) -> Record | None:
    """Return a usage without a part of it; None where a count of the part is larger."""
    rest: dict[str, object] = {}
    for name in _COUNTS:
        count, taken = count_of(whole, name), count_of(part, name) or 0
        if taken > (count or 0):
            return None
        if count is not None:
            rest[name] = count - taken
    cost, paid = usd_of(whole, _COST), usd_of(part, _COST)
    if cost is not None and paid is not None and paid <= cost:
        rest[_COST] = cost - paid
    return rest
