"""The publications that measures come from, as BibTeX.

A measure's docstring is the only place that names its sources (`Source: Vilain et al. 1995, …`);
`bibliography.bib` beside this file contains these publications. An entry is found by its first author and its year,
or by its own search words (`keywords`) if it has neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from aune.contract.measure import Measure

ENTRY = re.compile(r"^@(\w+)\{([\w-]+),\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.M)
SOURCE = re.compile(r"\bSource: (.*?)(?=\n\s*\n|\bEdges:|\Z)", re.S)
AUNE_KEY = "aune"


class Work(NamedTuple):
    """An entry of the bibliography."""

    key: str
    bibtex: str
    author: str
    """The surname of the first author, or the name of an institution."""
    year: str = ""
    keywords: str = ""
    fields: Mapping[str, str] = {}

    def is_named_in(self, text: str) -> bool:
        """Whether a passage cites this work."""
        if self.keywords:
            return bool(re.search(rf"\b{re.escape(self.keywords)}\b", text))
        return bool(re.search(rf"\b{re.escape(self.author)}\b[^;]*?\b{self.year}\b", text))


@cache
def works() -> dict[str, Work]:
    """Every work, by key."""
    text = files("aune.contract").joinpath("bibliography.bib").read_text("utf-8")
    return {key: _parse_work(entry[0], key, entry[3]) for entry in ENTRY.finditer(text) for key in [entry[2]]}


def _parse_work(entry: str, key: str, body: str) -> Work:
    fields = dict(FIELD.findall(body))
    author = fields["author"].strip("{}").partition(" and ")[0].partition(",")[0]
    bibtex = re.sub(r",\n  keywords = \{.*\}", "", entry)  # the search words are internal
    return Work(key, bibtex, author, fields.get("year", ""), fields.get("keywords", ""), fields)


def source_text(measure: Measure) -> str:
    """The source that a measure's docstring gives, on one line."""
    match = SOURCE.search(measure.documentation)
    return " ".join(match[1].split()) if match else ""


def works_behind(measure: Measure) -> list[Work]:
    """The works that a measure comes from, including those of the measures that it is made of."""
    text = source_text(measure)
    named_works = [work for work in works().values() if work.is_named_in(text)]
    return _distinct_works([*named_works, *(work for part in measure.parts for work in works_behind(part))])


def works_cited(measures: Iterable[Measure]) -> list[Work]:
    """The works behind some measures, and aune itself: each once, by key."""
    measure_works = _distinct_works(work for measure in measures for work in works_behind(measure))
    return sorted(_distinct_works([*measure_works, works()[AUNE_KEY]]), key=lambda work: work.key)


def _distinct_works(works: Iterable[Work]) -> list[Work]:
    return list({work.key: work for work in works}.values())
