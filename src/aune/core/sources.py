"""The works that measures come from, as BibTeX.

A measure's docstring names its sources (`Source: Vilain et al. 1995, …`), and that is the one place where they are
named; `bibliography.bib` beside this file says what these works are. A work is found by its first author and its year,
or by words of its own (`keywords`) where it has neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from aune.core.measure import Measure

ENTRY = re.compile(r"^@(\w+)\{([\w-]+),\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.M)
SOURCE = re.compile(r"\bSource: (.*?)(?=\n\s*\n|\bEdges:|\Z)", re.S)
ITSELF = "aune"


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
        """Whether a passage names this work."""
        if self.keywords:
            return bool(re.search(rf"\b{re.escape(self.keywords)}\b", text))
        return bool(re.search(rf"\b{re.escape(self.author)}\b[^;]*?\b{self.year}\b", text))


@cache
def works() -> dict[str, Work]:
    """Every work, by key."""
    text = files("aune.core").joinpath("bibliography.bib").read_text("utf-8")
    return {key: _work(found[0], key, found[3]) for found in ENTRY.finditer(text) for key in [found[2]]}


def _work(whole: str, key: str, body: str) -> Work:
    fields = dict(FIELD.findall(body))
    author = fields["author"].strip("{}").partition(" and ")[0].partition(",")[0]
    shown = re.sub(r",\n  keywords = \{.*\}", "", whole)  # for us to find it by
    return Work(key, shown, author, fields.get("year", ""), fields.get("keywords", ""), fields)


def told_source(measure: Measure) -> str:
    """What a measure's docstring says of where it comes from, on one line."""
    found = SOURCE.search(measure.documentation)
    return " ".join(found[1].split()) if found else ""


def sources_of(measure: Measure) -> list[Work]:
    """The works that a measure comes from, those of the measures that it is made of included."""
    told = told_source(measure)
    own = [work for work in works().values() if work.is_named_in(told)]
    return _distinct([*own, *(work for part in measure.parts for work in sources_of(part))])


def cited(measures: Iterable[Measure]) -> list[Work]:
    """The works behind some measures, and aune itself, which computed them: each once, by key."""
    found = _distinct(work for measure in measures for work in sources_of(measure))
    return sorted(_distinct([*found, works()[ITSELF]]), key=lambda work: work.key)


def _distinct(works: Iterable[Work]) -> list[Work]:
    return list({work.key: work for work in works}.values())
