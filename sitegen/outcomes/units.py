"""Gains that are so far above the others of their score that a difference in units is more likely than a success."""

from collections.abc import Iterator
from statistics import median

from sitegen import figures
from sitegen.model import Problem, Verdict
from sitegen.outcomes.study import Study

MAX_TIMES_MEDIAN = 50
MIN_GAINS = 3  # gains that a median is taken of


def find_other_units(study: Study) -> Iterator[Problem]:
    """Yield the runs whose score is more than MAX_TIMES_MEDIAN times better, against its reference, than the median."""
    for score, meaning in study.scores.items():
        if not meaning.reference:
            continue
        gains = [
            (run, gain) for run in study.entries if (gain := study.relative(run, score)) is not None
        ]
        usual = median(gain for _, gain in gains) if len(gains) >= MIN_GAINS else 0.0
        for run, gain in gains:
            if usual and gain > MAX_TIMES_MEDIAN * usual:
                reason = (
                    f"Its {figures.in_words(score)} is {figures.score(gain, 'x')} as good as the {meaning.reference}, "
                    f"and the median of all runs {figures.score(usual, 'x')}: probably in another unit."
                )
                yield Problem(run.source.path, "W_UNITS", Verdict.ACCEPT, reason, page_id=run.id)
