"""What a task is: how its documents are read, compared and described.

A task is a package under `aune/tasks`. Its `__init__.py` holds `TASK`, its folder `formats/` one file per format (each
with a `FORMAT`) and its folder `measures/` one file per measure (each with a `MEASURE`). Whatever else a task offers
(views, judgements, small worlds, tests) is a field of `TASK`, and None where it offers nothing: nobody looks for it by
a file's name.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from aune.core.cases import Case
from aune.core.errors import Problem
from aune.core.notes import Note
from aune.core.pieces import WHOLE, Boundaries
from aune.core.survey import Answers
from aune.core.universe import Universe
from aune.core.views import Confusion, View

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Document(Protocol):
    """The least that a document of any task has."""

    @property
    def id(self) -> str: ...


Pair: TypeAlias = tuple[Any, Any]
"""A key document and the response document of the same name."""
Made = TypeVar("Made")
Judgements: TypeAlias = Sequence[Sequence[Hashable | None]]
"""One document: a row per unit, a column per annotator, None where an annotator said nothing."""


class Comparison:
    """What `compare` returns: flat arrays over a chunk of document pairs, whatever the task needs, and its units.

    A task's own comparison inherits from this one and sets `units`, as a field or as a property, and what else differs.
    """

    units: Mapping[str, Sequence[str]]
    """The units that counts have a row for, as attribute columns; `document` is always one of them."""
    warnings: Sequence[Note | str] = ()
    """What a user should know about these documents; notes are merged over all chunks, and then worded."""
    facts: Mapping[Any, int] = NOTHING
    """The same as numbers that add up over chunks, for a task that words them when all are counted (`Task.told`)."""
    signed: Mapping[str, Any] = NOTHING
    """Options that the signature shows otherwise than they were given."""

    def kept(self, name: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gives, made once for each name, so that measures with the same needs share it."""
        things: dict[Hashable, Made] = self.__dict__.setdefault("_things_kept", {})
        if name not in things:
            things[name] = make()
        return things[name]


class PairedTest(NamedTuple):
    """A test of two systems that a task offers beside those that need counts alone."""

    measure: str
    value: str
    """What the test is about: one value of one measure."""
    trace: Callable[..., Any]
    """`trace(comparison, *, options)`: what the test must know of one system, for one chunk of documents."""
    p: Callable[[Sequence[Any], Sequence[Any]], float]
    """`p(first, second)`: the two-sided p-value, from the traces of both systems in the order of the chunks."""


class Batch(NamedTuple):
    """What a batch of a training loop adds up to."""

    documents: int
    totals: tuple[int, ...]
    """The columns of the measure's counts, in their order."""
    facts: Mapping[Any, int] = {}
    notes: Sequence[Note] = ()
    held: tuple[bool, bool] = (True, True)
    """Whether the key and the response hold what is compared."""
    seen: Answers = NOTHING
    """What it shows of what a corpus is asked: it counts only where the first batch has shown the same."""


@dataclass(frozen=True)
class Format:
    """A file format: how to recognise, read and write it. Its name is its file's name."""

    read: Callable[..., Iterable[Any]]
    """`read(source, *, options)`: the documents. Problems are told to the source, which raises them together."""
    sniff: Callable[[str], bool]
    """Whether the first characters of a file look like this format."""
    write: Callable[..., Iterator[str]] | None = None
    """`write(documents)`: the text, in pieces."""
    carries: frozenset[str] = frozenset()
    """What the format can hold beyond the bare annotation (such as `tokens` or `kinds`); `convert` reports the rest."""
    suffixes: tuple[str, ...] = ()
    """File name endings that settle a doubt."""
    anything: bool = False
    """Whether `sniff` takes any text at all, so that a file's name says more than its content."""
    perhaps: Callable[[str], bool] = lambda head: False
    """Whether a file might be in this one that no format is sure of (or, for one that takes any text, that another is
    sure of): then a warning names it."""
    splice: Callable[..., bytes] | None = None
    """`splice(source, documents, *, options of read)`: the bytes of a file with the annotation of documents that
    are about its own texts in the place of its own. What did not change keeps its bytes."""
    beside: Callable[[Sequence[Any]], Mapping[str, str]] | None = None
    """`beside(documents)`: the texts of the files that must stand beside the one that `write` writes, by ending."""
    boundaries: Boundaries = WHOLE
    """Where its documents begin, so that a long file can be read in pieces."""

    @property
    def name(self) -> str:
        return self.read.__module__.rpartition(".")[2]

    @property
    def documentation(self) -> str:
        return inspect.cleandoc(sys.modules[self.read.__module__].__doc__ or "")


class Listing(NamedTuple):
    """A table about what is smaller than the units of the counts, such as a chain or a mention."""

    rows: Callable[..., Iterable[Any]]
    """`rows(comparison, *, options)`: a NamedTuple for each of them; the options are those of the measures."""
    measures: Mapping[str, tuple[str, ...]]
    """The measures that it is about, each with the columns that are about it alone."""


@dataclass(frozen=True)
class Task:
    """One of the things that aune measures. Its name is its folder's name."""

    compare: Callable[..., Any]
    """`compare(pairs, survey, *, options) -> Comparison`, over a chunk of document pairs; what only the whole corpus
    can decide is asked of the survey, and shown in the comparison's `signed`."""
    documents: Callable[..., list[Any]]
    """`documents(plain, *, options)`: those in a plain Python structure, as a notebook user would give it."""
    empty: Callable[[Any], Any]
    """The empty response to a key document, for documents that a response lacks."""
    measures: tuple[str, ...]
    """What `aune score` prints when no measure is named."""
    conventions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Named sets of options; the first one is the default."""
    check: Callable[[Sequence[Any]], list[Problem]] = lambda documents: []
    """The task's own rules, for `aune validate`."""
    describe: Callable[[Sequence[Any]], Mapping[str, Any]] | None = None
    """The profile of a corpus, for `aune describe`."""
    errors: Callable[[Any], list[Case]] | None = None
    """`errors(comparison)`: the errors behind the scores, one by one."""
    fitted: Callable[[Sequence[Any], Sequence[Any]], list[Any] | None] = lambda keys, responses: None
    """`fitted(keys, responses)`: responses whose file lost the document boundaries, cut like the key; else None."""
    fit: Callable[[Any, Any, int], bool] | None = None
    """`fit(key, response, sentences)`: whether parts of one document can be compared apart from the rest of it, since
    both are of the same text, and the key has so many sentences (-1: any number). None where none is ever cut."""
    usual: Callable[[Sequence[Any]], Collection[str]] | None = None
    """`usual(documents)`: those of `measures` that make sense for the documents of a key; all of them when None."""
    corrected: Callable[[Any, Collection[str]], Any] | None = None
    """`corrected(comparison, kinds)`: the comparison as it would be without the errors of some kinds."""
    realigned: Callable[..., tuple[Sequence[Pair], Sequence[Any]]] | None = None
    """`realigned(pairs, realign, place, unplaced, other_text)`: responses on their keys' texts, and how that went."""
    annotation: tuple[str, Callable[[Any], object]] = ("annotation", lambda document: True)
    """What is compared, by its name, and whether a document holds any of it: a side that holds none is told."""
    aliases: tuple[str, ...] = ()
    """What else people call it."""
    batches: Mapping[str, Callable[[Any, Any], Batch | None]] = field(default_factory=dict)
    """`batches[measure](key, response)`: what a batch adds up to, straight from plain lists and under no option; None
    for whatever else it is. The same totals, facts and notes as by `compare`, in less time."""
    libraries: tuple[str, ...] = ()
    """What its measures import when they first count: processes that will count can do so while files are cut."""
    main: str = ""
    """The measure that ranks systems; the first of `measures` unless said otherwise."""
    told: Callable[[Mapping[Any, int]], Sequence[str]] | None = None
    """`told(facts)`: what a user should know, from the `facts` of all comparisons of a system added up."""
    holdings: Callable[[Sequence[Any]], Mapping[str, int]] = lambda documents: {}
    """What these documents hold beyond the bare annotation, by the names used in `Format.carries`, with counts."""
    lost: Callable[[Any, Any], Mapping[str, int]] | None = None
    """`lost(before, after)`: what a document says that another version of it, written and read back, does not say, by
    kind, with counts. Without it, the `holdings` of both are compared."""
    part: str = "document"
    """The attribute of the units that tells which document of a key a row is from, by one of its `parts`."""
    parts: Callable[[Any], Iterable[str]] = lambda document: (document.id,)
    """`parts(document)`: the values of that attribute for the rows of a document."""
    kinds: Sequence[str] = ()
    """The kinds of error that `errors` tells apart, in the order in which `corrected` puts them right."""
    view: Callable[[Any], Iterable[View]] | None = None
    """`view(comparison)`: each document as a page shows it."""
    confusion: Callable[[Any], Confusion | None] = lambda comparison: None
    """`confusion(comparison)`: how the errors are laid out as a matrix; None where there is none."""
    judgements: Callable[[Sequence[Any]], Judgements] | None = None
    """`judgements(documents)`: from one document as several annotators left it (None for those who did not), a row per
    unit with what each of them said of it."""
    sentences: Callable[[Sequence[Any]], Sequence[int]] | None = None
    """`sentences(documents)`: the number of the sentence of each of those rows."""
    spans: Callable[[Any], Sequence[tuple[int, int, str]]] | None = None
    """`spans(document)`: its labelled stretches (start, end, label), for γ."""
    universe: Universe | None = None
    """The small worlds in which every response to every key can be tried."""
    tests: Mapping[str, PairedTest] = field(default_factory=dict)
    """The task's own tests of two systems, by name."""
    passage: Callable[[Any, int, Any], Any] | None = None
    """`passage(document, number, key)`: the beginning of a text, with about so many of the key's mentions."""
    listings: Mapping[str, Listing] = field(default_factory=dict)
    """What `aune score --by` can list beside the attributes of the units, by name."""
    combined: Callable[..., list[Any]] | None = None
    """`combined(documents, systems, …)`: what several systems say together, as one response."""
    disagreements: Callable[..., Sequence[Sequence[Any]]] | None = None
    """`disagreements(documents, systems, …)`: what they do not agree on, for a person to settle: headings, rows."""

    def held(self, pairs: Sequence[Pair]) -> tuple[bool, bool]:
        """Whether any key and any response among pairs holds what is compared."""
        _, holds = self.annotation
        return any(holds(key) for key, _ in pairs), any(holds(response) for _, response in pairs)

    @property
    def nothing_to_find(self) -> str:
        """What is told of a key that holds nothing."""
        return f"the key {self.nothing_given}: there is nothing to find"

    @property
    def nothing_given(self) -> str:
        """What is told of a response that holds nothing."""
        return f"holds not a single {self.annotation[0]}"

    @property
    def ranking(self) -> str:
        """The name of the measure that ranks systems when no other is named."""
        return self.main or self.measures[0]

    @property
    def name(self) -> str:
        return self.compare.__module__.removeprefix("aune.tasks.").split(".")[0]

    @property
    def documentation(self) -> str:
        return inspect.cleandoc(sys.modules[f"aune.tasks.{self.name}"].__doc__ or "")


def renamed(document: Any, name: str) -> Any:
    """A document under another name, be it a named tuple or a dataclass."""
    return document._replace(id=name) if hasattr(document, "_replace") else replace(document, id=name)
