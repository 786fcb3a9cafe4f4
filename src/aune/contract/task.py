"""A task: how its documents are read, compared and described.

A task is a package under `aune/tasks`. Its `__init__.py` defines `TASK`, its folder `formats/` has one file per format
(each with a `FORMAT`) and its folder `measures/` one file per measure (each with a `MEASURE`). Everything else that a
task offers (views, judgements, small worlds, tests) is a field of `TASK`, which is None if the task does not offer it:
no code looks for it by a file's name.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

from aune.contract.alternatives import KeyChoices
from aune.contract.error_record import ErrorRecord
from aune.contract.notes import Note
from aune.contract.small_worlds import Universe
from aune.contract.survey import Answers
from aune.contract.views import Confusion, View
from aune.errors import Problem

if TYPE_CHECKING:
    from aune.contract.voting import VoteRecord

EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})


class Document(Protocol):
    """The minimal attributes of a document of any task."""

    @property
    def id(self) -> str: ...


Pair: TypeAlias = tuple[Any, Any]
"""A key document and the response document of the same name."""
Value = TypeVar("Value")
Judgements: TypeAlias = Sequence[Sequence[Hashable | None]]
"""One document: a row per unit, a column per annotator, None where an annotator made no judgement."""


class Comparison:
    """The return value of `compare`: flat arrays over a chunk of document pairs, as the task needs them, and its units.

    A task's comparison inherits from this class and sets `units`, as a field or as a property, and what else differs.
    """

    units: Mapping[str, Sequence[str]]
    """The units of the rows of counts, as attribute columns; `document` is always one of them."""
    warnings: Sequence[Note | str] = ()
    """Warnings about these documents; notes are merged over all chunks, and then worded."""
    facts: Mapping[Any, int] = EMPTY_MAPPING
    """Warnings as numbers that add up over chunks, for a task that words them at the end (`Comparing.fact_texts`)."""
    signed: Mapping[str, Any] = EMPTY_MAPPING
    """Options that the signature shows with another value than the given one."""

    def compute_once(self, name: Hashable, make: Callable[[], Value]) -> Value:
        """The result of `make`, computed once for each name, so that measures with the same needs share it."""
        cache: dict[Hashable, Value] = self.__dict__.setdefault("_things_kept", {})
        if name not in cache:
            cache[name] = make()
        return cache[name]


class PairedTest(NamedTuple):
    """A test of two systems that a task offers, in addition to the tests that need counts alone."""

    measure: str
    value: str
    """The subject of the test: one value of one measure."""
    trace: Callable[..., Any]
    """`trace(comparison, *, options)`: what the test must know of one system, for one chunk of documents."""
    p: Callable[[Sequence[Any], Sequence[Any]], float]
    """`p(first, second)`: the two-sided p-value, from the traces of both systems in the order of the chunks."""


class Batch(NamedTuple):
    """The totals of a batch of a training loop."""

    documents: int
    totals: tuple[int, ...]
    """The columns of the measure's counts, in their order."""
    facts: Mapping[Any, int] = {}
    notes: Sequence[Note] = ()
    has_annotation: tuple[bool, bool] = (True, True)
    """Whether the key and the response have annotation."""
    seen: Answers = EMPTY_MAPPING
    """Its answers to the questions about a corpus: the totals are only used if the first batch gave the same ones."""


class Listing(NamedTuple):
    """A table about parts that are smaller than the units of the counts, such as chains or mentions."""

    rows: Callable[..., Iterable[Any]]
    """`rows(comparison, *, options)`: a NamedTuple for each part; the options are those of the measures."""
    measures: Mapping[str, tuple[str, ...]]
    """The measures that it is about, each with the columns that concern it alone."""


@dataclass(frozen=True, eq=False)
class Reading:
    """How the documents of a task are read, checked, described and written."""

    documents: Callable[..., list[Any]]
    """`documents(data, *, options)`: the documents in a plain Python structure, as a notebook user would write it."""
    empty: Callable[[Any], Any]
    """The empty response to a key document, for documents that a response lacks."""
    annotation: tuple[str, Callable[[Any], object]] = ("annotation", lambda document: True)
    """The name of what is compared, and whether a document has any: a warning is issued for a side without any."""
    has_tag_sentences: bool = False
    """Whether an accumulator reads lists of lists of strings as sentences of tags, whatever their lengths."""
    part: str = "document"
    """The attribute of the units that names the key document that a row comes from, by one of its `parts`."""
    parts: Callable[[Any], Iterable[str]] = lambda document: (document.id,)
    """`parts(document)`: the values of that attribute for the rows of a document."""
    check: Callable[[Sequence[Any]], list[Problem]] = lambda documents: []
    """The rules of the task for `aune validate`."""
    describe: Callable[[Sequence[Any]], Mapping[str, Any]] | None = None
    """The profile of a corpus, for `aune describe`."""
    content_counts: Callable[[Sequence[Any]], Mapping[str, int]] = lambda documents: {}
    """What documents contain beyond the bare annotation, by the names used in `Format.carries`, with counts."""
    count_losses: Callable[[Any, Any], Mapping[str, int]] | None = None
    """`count_losses(before, after)`: what a document contains that another version of it, written and read back, does
    not, by kind, with counts. Without it, the `content_counts` of both are compared."""
    realign: Callable[..., tuple[Sequence[Pair], Sequence[Any]]] | None = None
    """`realign(pairs, realign, place, unplaced, other_text)`: responses placed on their keys' texts, and a report."""
    passage: Callable[[Any, int, Any], Any] | None = None
    """`passage(document, number, key)`: the beginning of a text, with about this number of the key's mentions."""


@dataclass(frozen=True, eq=False)
class Comparing:
    """How pairs of documents are compared, and which measures count the comparison."""

    compare: Callable[..., Any]
    """`compare(pairs, survey, *, options) -> Comparison`, over a chunk of document pairs. Decisions that need the whole
    corpus are asked of the survey, and shown in the comparison's `signed`."""
    measures: tuple[str, ...]
    """The measures that `aune score` prints when none is named."""
    main: str = ""
    """The measure that ranks systems; by default the first of `measures`."""
    usual_measures: Callable[[Sequence[Any]], Collection[str]] | None = None
    """`usual_measures(documents)`: those of `measures` that make sense for the documents of a key; None for all."""
    conventions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Named sets of options; the first one is the default."""
    split_like_key: Callable[[Sequence[Any], Sequence[Any]], list[Any] | None] = lambda keys, responses: None
    """`split_like_key(keys, responses)`: responses whose file lost the document boundaries, cut like the key."""
    split_message: str = "no document boundaries, cut after the lengths of the key's documents"
    """The warning about a response that was cut like the key."""
    can_cut: Callable[[Any, Any, int], bool] | None = None
    """`can_cut(key, response, sentences)`: whether parts of one document can be compared without the rest of it,
    because both are of the same text, and the key has this number of sentences (-1: any number). None: never."""
    batches: Mapping[str, Callable[[Any, Any], Batch | None]] = field(default_factory=dict)
    """`batches[measure](key, response)`: the totals of a batch, directly from plain lists and without options; None for
    any other input. Totals, facts and notes are the same as by `compare`, in less time."""
    libraries: tuple[str, ...] = ()
    """The packages that its measures import when they first count: worker processes import them while files are cut."""
    fact_texts: Callable[[Mapping[Any, int]], Sequence[str]] | None = None
    """`fact_texts(facts)`: warnings, from the `facts` of all comparisons of a system added up."""
    key_choices: Callable[[Any], Sequence[KeyChoices]] | None = None
    """`key_choices(key)`: the right answers of a key with a choice, one entry for each of its keys; none for a plain
    key. None if the task has no such keys, or if its comparison handles them."""


@dataclass(frozen=True, eq=False)
class Explaining:
    """What users look at behind the scores."""

    errors: Callable[[Any], list[ErrorRecord]] | None = None
    """`errors(comparison)`: the errors behind the scores, one by one."""
    kinds: Sequence[str] = ()
    """The kinds of error that `errors` distinguishes, in the order in which `correct` removes them."""
    correct: Callable[[Any, Collection[str]], Any] | None = None
    """`correct(comparison, kinds)`: the comparison as it would be without the errors of some kinds."""
    view: Callable[[Any], Iterable[View]] | None = None
    """`view(comparison)`: each document as a page shows it."""
    confusion: Callable[[Any], Confusion | None] = lambda comparison: None
    """`confusion(comparison)`: the layout of the errors as a matrix; None if there is none."""
    listings: Mapping[str, Listing] = field(default_factory=dict)
    """What `aune score --by` can list in addition to the attributes of the units, by name."""


@dataclass(frozen=True, eq=False)
class Agreement:
    """How agreement between annotators is measured."""

    judgements: Callable[[Sequence[Any]], Judgements] | None = None
    """`judgements(documents)`: from the annotations of one document by several annotators (None for those who have
    none), a row per unit with the judgement of each of them."""
    sentences: Callable[[Sequence[Any]], Sequence[int]] | None = None
    """`sentences(documents)`: the number of the sentence of each of those rows."""
    spans: Callable[[Any], Sequence[tuple[int, int, str]]] | None = None
    """`spans(document)`: its labelled spans (start, end, label), for γ."""
    unjudged: Callable[[Sequence[Any]], Mapping[str, int]] | None = None
    """`unjudged(documents)`: how many units of a document only some of its annotators judge, by the reason."""
    differences: Callable[[Sequence[Any]], Mapping[str, int]] | None = None
    """`differences(documents)`: 1 for each obstacle to the comparison of a document, in words, 0 for others."""
    further: Callable[..., Mapping[str, Sequence[Judgements]]] | None = None
    """`further(texts, *, options)`: what annotators decide beyond `judgements`, by name, with a table of sets for each
    text (a list of documents as for `judgements`). Each has a coefficient of its own. If the task has `sentences`, the
    rows are those of `judgements`."""
    measures: Callable[[Sequence[Sequence[Any]]], Sequence[str]] | None = None
    """`measures(texts)`: for a task without `judgements`, the measures that see what the annotators of these texts
    decided and the usual measures do not count."""


@dataclass(frozen=True, eq=False)
class Extras:
    """Features that only some tasks offer."""

    small_worlds: Universe | None = None
    """The small worlds in which every response to every key can be tried."""
    paired_tests: Mapping[str, PairedTest] = field(default_factory=dict)
    """The task's own tests of two systems, by name."""
    combine: Callable[..., list[Any]] | None = None
    """`combine(documents, systems, …)`: the responses of several systems as one response. A `VoteRecord` is given as
    `record` where the documents are a part of a corpus."""
    combination_notes: Callable[[VoteRecord], Sequence[str]] | None = None
    """`combination_notes(record)`: what users are told about a combination, once all parts are combined."""
    usual_choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The choices that users make before they score, by name, with their values, for `aune robustness`."""
    disagreements: Callable[..., Sequence[Sequence[Any]]] | None = None
    """`disagreements(documents, systems, …)`: where the systems disagree, for a person to decide: headings, rows."""


@dataclass(frozen=True, eq=False)
class Task:
    """A task of aune. Its name is the name of its folder."""

    reading: Reading
    comparing: Comparing
    make_explaining: Callable[[], Explaining] = Explaining
    """This group and the next two are made when they are first used: a score waits for none of their modules."""
    make_agreement: Callable[[], Agreement] = Agreement
    make_extras: Callable[[], Extras] = Extras

    @cached_property
    def explaining(self) -> Explaining:
        return self.make_explaining()

    @cached_property
    def agreement(self) -> Agreement:
        return self.make_agreement()

    @cached_property
    def extras(self) -> Extras:
        return self.make_extras()

    def leaves_choice(self, pairs: Sequence[Pair]) -> bool:
        """Whether any key among the pairs has several right answers."""
        return self.comparing.key_choices is not None and any(key.has_alternatives for key, _ in pairs)

    def has_annotation(self, pairs: Sequence[Pair]) -> tuple[bool, bool]:
        """Whether any key and any response among the pairs has annotation to compare."""
        _, is_annotated = self.reading.annotation
        return any(is_annotated(key) for key, _ in pairs), any(is_annotated(response) for _, response in pairs)

    @property
    def empty_key_message(self) -> str:
        """The warning about a key without annotation."""
        return f"the key {self.empty_response_message}: there is nothing to find"

    @property
    def empty_response_message(self) -> str:
        """The warning about a response without annotation."""
        return f"contains not a single {self.reading.annotation[0]}"

    @property
    def ranking(self) -> str:
        """The name of the measure that ranks systems when no other is named."""
        return self.comparing.main or self.comparing.measures[0]

    @cached_property
    def name(self) -> str:
        return self.comparing.compare.__module__.removeprefix("aune.tasks.").split(".")[0]

    @property
    def documentation(self) -> str:
        return inspect.cleandoc(sys.modules[f"aune.tasks.{self.name}"].__doc__ or "")


def rename_document(document: Any, name: str) -> Any:
    """A document under another name, for named tuples and dataclasses."""
    return document._replace(id=name) if hasattr(document, "_replace") else replace(document, id=name)
