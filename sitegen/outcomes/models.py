"""The names that models have in files, in paths and in settings."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from sitegen.figures import plural
from sitegen.inputs.survey import Naming
from sitegen.model import Entry
from sitegen.readers.common.values import names_model
from sitegen.text.names import short_model


class Models:
    """The names of models by the rules of the settings."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._names: dict[str, tuple[str, ...]] = {}

    def names(self, model: str) -> tuple[str, ...]:
        """Return what a model may also be called, the most exact first: without the provider before it, and its display
        name or the one that the settings give it, as pages shorten it too."""
        if model not in self._names:
            bare = model.replace("__", "/").rpartition("/")[2]
            shown = self._naming.model(bare)
            names = (model, bare, self._naming.model(model), shown, short_model(shown))
            self._names[model] = tuple(dict.fromkeys(name.casefold() for name in names if name))
        return self._names[model]

    def may_be(self, stated: str, model: str) -> bool:
        """Return whether two names may be of one model: as ids, as display names, or as a shorter form of either. A
        doubt is worth a line only where they cannot."""
        for name in self.names(stated):
            for other in self.names(model):
                if name == other or is_form_of(name, other):
                    return True
        return False

    def may_be_any(self, stated: str, models: Sequence[str]) -> bool:
        """Return whether a name may be of any of these models."""
        return any(self.may_be(stated, model) for model in models)


def label_other_models(entries: Sequence[Entry], naming: Naming) -> tuple[list[Entry], list[str]]:
    """Return the runs, with the name that a path has for their model as a label where the file names another model,
    which counts; and a sentence about them."""
    labelled = []
    differing: list[Entry] = []
    may_be_any = cache(Models(naming).may_be_any)  # the same few names, in many runs
    for entry in entries:
        stated = entry.stated_model
        models = models_of_file(entry)
        if stated and models and names_model(stated) and not may_be_any(stated, models):
            differing.append(entry)
            entry = replace(entry, labels=tuple(dict.fromkeys((*entry.labels, stated))))
        labelled.append(entry)
    if not differing:
        return labelled, []
    first = differing[0]
    whose = "its" if len(differing) == 1 else "their"
    such = f"such as '{first.stated_model}' of {first.source.path}, which names {first.model}"
    runs = plural(len(differing), "run")
    remark = (
        f"Paths say another model than the files of {runs}, {such}: the file counts, and the name in the path is "
        f"{whose} label."
    )
    return labelled, [remark]


def models_of_file(entry: Entry) -> tuple[str, ...]:
    """Return the models that the file of a run names, as it writes them."""
    return tuple(line.model for line in entry.run.ledger if line.model)


_VERSION = re.compile(r"(?<![0-9])([0-9]{1,2})(?:[._-]([0-9]{1,2})(?![0-9]))?(?![0-9])")
_WORD = re.compile(r"[a-z]+")
_LONG_CONTEXT = re.compile(r"[\[(]1m[\])]")


def is_form_of(stated: str, model: str) -> bool:
    """Return whether one of two names may be a longer or shorter form of the other, in any case: not of another family
    or another version."""
    words, version = split_name(stated)
    model_words, model_version = split_name(model)
    if version and model_version and version != model_version:
        return False
    family = model_words - {"claude"} or model_words
    return words <= model_words or family <= words


def split_name(name: str) -> tuple[frozenset[str], str]:
    """Return the words of a name, without what provider it comes through, and its version without a dot: 4.5 is also
    written 45."""
    name = _LONG_CONTEXT.sub("", name.casefold().replace("__", "/")).rpartition("/")[2]
    version = _VERSION.search(name)
    digits = ""
    if version:
        digits = f"{int(version[1])}{int(version[2] or 0)}".rstrip("0")
    return frozenset(_WORD.findall(name)) - {"anthropic"}, digits
