"""Scores of transcripts as they come: nothing is kept of an utterance but its counts, added up by document.

    from aune.tasks.speech.streaming import streamed
    print(streamed("key.txt", "response.txt", format="kaldi"))

Files with a line for each utterance (trn, kaldi, lines, manifest) are read line by line, both at once. Utterances are
matched by name; those that wait for their counterpart are all that is held, so files in the same order take no room.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aune import __version__
from aune.core import registry
from aune.core.asked import asked_options, chosen_measures, for_responses
from aune.core.corpus import Source
from aune.core.errors import InputError, NothingToScoreError, Problem, UsageError
from aune.core.measure import Layout, flatten, layout_of
from aune.core.options import check_known, options_of
from aune.core.result import Result, Scored
from aune.core.rows import Rows
from aune.core.signature import signature
from aune.tasks.speech.model import Utterance, empty

LINE_BY_LINE = ("kaldi", "lines", "manifest", "trn")
BLOCK = 1000  # utterances compared at once


class Lines(Source):
    """A file whose lines are read when they are asked for."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(str(path), b"", Path(path))

    def lines(self) -> Iterator[tuple[int, str]]:
        try:
            with Path(self.name).open(encoding="utf-8-sig", newline=None) as file:
                for number, line in enumerate(file, 1):
                    yield number, line.removesuffix("\n")
        except (OSError, UnicodeDecodeError) as error:
            found = f"found no readable text ({error}), expected a file in UTF-8: check the path"
            raise InputError([Problem(self.name, 1, 1, found)]) from None


def streamed(
    key: str | Path | Iterable[Utterance],
    response: str | Path | Iterable[Utterance],
    *,
    format: str = "kaldi",
    measures: Sequence[str] | None = None,
    **options: Any,
) -> Result:
    """The scores of one response, with rows for documents only (one for all utterances that name none)."""
    check_known([format], LINE_BY_LINE, "format to read line by line")
    home = registry.task("speech")
    chosen = chosen_measures(home, measures)
    if any(one.together for one in chosen):
        raise UsageError("a measure that needs the whole corpus (ril, story_wer) cannot be computed from a stream")
    for one in chosen:
        one.check_packages()
    asked = asked_options(home, chosen, None, options)
    how = asked.of(options_of(home.compare))
    sums: list[dict[str, Any]] = [{} for _ in chosen]
    layouts: list[Layout] = []
    told: dict[str, int] = {}
    pairs = matched(_utterances(key, format, options), _utterances(response, format, for_responses(options)), told)
    for block in _blocks(pairs):
        comparison = home.compare(block, **how)
        layouts = []
        for one, mine in zip(chosen, sums, strict=True):
            counts = one.counted(comparison, asked.of(one.options) | dict(one.given))
            layouts.append(layout_of(counts))
            _add(mine, _documents(comparison), flatten(counts))
        comparison.kept.clear()  # alignments know their comparison, and would wait for the garbage collector
    if not layouts:
        raise NothingToScoreError("the stream holds no utterance: nothing to score")
    scores = []
    for one, mine, layout in zip(chosen, sums, layouts, strict=True):
        own = asked.of(one.options) | dict(one.given)
        rows = Rows({"document": list(mine)}, np.stack(list(mine.values())), layout)
        printed = {**how, **{name: value for name, value in own.items() if name not in one.given}}
        scores.append(Scored("stream", one, signature(one.name, printed, __version__), rows, own))
    return Result("speech", scores, warnings=[f"{count} {what}" for what, count in told.items() if count])


def _documents(comparison: Any) -> list[str]:
    """The document of each row; all rows of utterances that name none go to one."""
    own = [key.attributes.get("document", "") for key, _ in comparison.pairs]
    names = {key.id: document for (key, _), document in zip(comparison.pairs, own, strict=True)}
    return [names[utterance] for utterance in comparison.units["utterance"]]


def _add(sums: dict[str, Any], documents: Sequence[str], matrix: Any) -> None:
    names = dict.fromkeys(documents)
    numbers = {name: number for number, name in enumerate(names)}
    codes = np.array([numbers[name] for name in documents], np.int64)
    totals = np.zeros((len(names), matrix.shape[1]))
    np.add.at(totals, codes, matrix)
    for name, total in zip(names, totals, strict=True):
        sums[name] = sums[name] + total if name in sums else total


def _utterances(given: Any, format: str, options: Mapping[str, Any]) -> Iterator[Utterance]:
    if not isinstance(given, str | Path):
        yield from given
        return
    source = Lines(given)
    read = registry.format("speech", format).read
    known = options_of(read)
    taken = {name: known[name].checked(value) for name, value in options.items() if name in known}
    for one in read(source, **taken):
        if source.problems:
            source.finish()
        yield one
    source.finish()


def matched(
    key: Iterator[Utterance], response: Iterator[Utterance], told: dict[str, int]
) -> Iterator[tuple[Utterance, Utterance]]:
    """Utterances of the same name, as soon as both are there; what is left is scored as empty, or told."""
    waiting: dict[str, Utterance] = {}
    given: dict[str, Utterance] = {}
    for said, answer in itertools.zip_longest(key, response):
        if said is not None and answer is not None and said.id == answer.id:
            yield said, answer
            continue
        if said is not None:
            if said.id in given:
                yield said, given.pop(said.id)
            else:
                waiting[said.id] = said
        if answer is not None:
            if answer.id in waiting:
                yield waiting.pop(answer.id), answer
            else:
                given[answer.id] = answer
    told["utterances of the key missing, scored as empty"] = len(waiting)
    told["utterances not in the key, ignored"] = len(given)
    for said in waiting.values():
        yield said, empty(said)


def _blocks(pairs: Iterator[tuple[Utterance, Utterance]]) -> Iterator[list[tuple[Utterance, Utterance]]]:
    while block := list(itertools.islice(pairs, BLOCK)):
        yield block
