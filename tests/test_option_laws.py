"""The law of options: one that is accepted acts.

For every option of a comparison, a measure, a reader and the agreement of annotators of every task: on generated input,
some other value changes a number, a warning or a document, or is refused. An option that does nothing silently would
pass every other test. A new measure, format or task is tested without a line here, unless its options need input that
is not generated: then `TEXTS` names their values, `INPUTS` the input where they matter, or `EXCEPTIONS` the test that
shows that they act.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings

import aune
from aune.contract import registry
from aune.contract.measure import Measure
from aune.contract.options import Option, options_of
from aune.explain.annotators import annotators_agreement
from aune.reading.corpus import read_with_problems
from aune.tasks.coref.model import STEP, Document, ListedMention, Mention
from aune.tasks.coref.model import make_document as coref_document
from aune.tasks.entities.model import Span, StringEntity
from aune.tasks.entities.model import make_document as entity_document
from tests.evaluation import corpora

TASKS = registry.task_names()
DEFAULT = "(default)"
EXAMPLES = 40  # generated pairs of corpora on which an option may act
RECORDS = 12  # generated documents of a file

TEXTS: dict[tuple[str, str], tuple[Any, ...]] = {
    ("anaphora", "antecedent_field"): (("anaphor",), ("elsewhere",)),
    ("anaphora", "chains_format"): ("conll2012",),
    ("anaphora", "clusters_field"): ("elsewhere",),
    ("anaphora", "id_field"): (("anaphors",),),
    ("coref", "answer"): ("text",),
    ("coref", "clusters_field"): ("elsewhere",),
    ("coref", "id_field"): (("elsewhere",),),
    ("coref", "text_field"): (("elsewhere",),),
    ("coref", "element"): (("hi",),),
    ("coref", "layer"): ("elsewhere",),
    ("coref", "model"): ("json",),
    ("coref", "only"): (("name",), ("pronoun",)),
    ("coref", "relations"): ("collapse", "part-of"),
    ("coref", "specificity"): ("name=0.1,noun=0.3,pronoun=0.6",),
    ("coref", "weights"): ("name=3,noun=2,pronoun=1", "chain"),
    ("entities", "ace_weights"): ("PER=2",),
    ("entities", "among"): (("pers",),),
    ("entities", "annotator"): ("nobody",),
    ("entities", "answer"): ("text",),
    ("entities", "column"): ("0", "1"),
    ("entities", "columns"): (("NE-FINE-LIT",), ("NE-COARSE-METO",)),
    ("entities", "eter_weights"): ("subtype=0.1",),
    ("entities", "annotation_type"): (("Token",),),
    ("entities", "element"): (("hi",),),
    ("entities", "feature"): ("elsewhere",),
    ("entities", "mention_kinds"): (("NOM",),),
    ("entities", "labels"): (("pers.ind",), ("PER",)),
    ("entities", "id_field"): (("elsewhere",),),
    ("entities", "labels_field"): (("elsewhere",),),
    ("entities", "mark_label"): ("LOC",),
    ("entities", "model"): ("json",),
    ("entities", "rename"): (("pers.ind=loc.fac",),),
    ("entities", "ser_weights"): ("type=1,boundary=0.25,insertion=0",),
    ("entities", "spans_field"): (("elsewhere",),),
    ("entities", "tags_field"): (("elsewhere",),),
    ("entities", "text_field"): (("elsewhere",),),
    ("entities", "typology"): ("quaero", "muc6"),
    ("speech", "document_field"): (("speaker",),),
    ("speech", "id_field"): (("speaker", "text"),),
    ("speech", "labels"): (("LOC",),),
    ("speech", "normalise"): ("lower", "whisper-en"),
    ("speech", "pos"): (("NOUN",),),
    ("speech", "spans_field"): (("elsewhere",),),
    ("speech", "stop"): ("fr", "none"),
    ("speech", "text_field"): (("id",),),
    ("speech", "tier"): (("elsewhere",),),
    ("speech", "typology"): ("quaero",),
    ("tagging", "aspect"): ("lemma",),
    ("tagging", "column"): ("lemma", "upos"),
    ("tagging", "id_field"): (("elsewhere",),),
    ("tagging", "separator"): ("_",),
    ("tagging", "tags_field"): (("elsewhere",),),
    ("tagging", "text_field"): (("elsewhere",),),
}
"""Other values of options that take free text, by task."""
SINGLETONS = [{1}, {2}]


def long_mention(end: int, head: int, minimum: tuple[int, int] | None = None) -> list[Document]:
    """A text with two mentions in a chain, the first of which has a head and perhaps a minimal span."""
    mentions = [Mention(0, end, "a", head=head, minimum=minimum), Mention(5, 6, "a", head=5)]
    return [coref_document("d", mentions, tokens=list("abcdef"))]


PLACED = ["Ann", "met", "Bob", "and", "Ann", "saw", "Bob", "leave", "."]
OTHER = ["call", "me", "Ishmael", "some", "years", "ago", "never", "mind", "how", "long"]


def coref_answers() -> list[tuple[Any, Any, dict[str, Any]]]:
    """Chains of a text without a word of the key's, of another text, and given as strings."""
    key = [coref_document("d", [Mention(0, 1, "a"), Mention(4, 5, "a"), Mention(6, 7, "b")], tokens=PLACED)]
    shorter = [coref_document("d", [Mention(0, 1, "a"), Mention(3, 4, "a"), Mention(5, 6, "b")],
                              tokens=PLACED[:1] + PLACED[2:])]  # fmt: skip
    other = [coref_document("d", [Mention(0, 1, "a"), Mention(1, 2, "a")], tokens=OTHER)]
    strings = [replace(coref_document("d", []), listed=tuple(
        ListedMention(string, chain) for string, chain in (("Bob", "b"), ("Ann", "a"), ("Eve", "a"), ("Ann", "a"))
    ))]  # fmt: skip
    return answers(key, shorter, other, strings)


def entity_answers() -> list[tuple[Any, Any, dict[str, Any]]]:
    """Entities of the same kinds of texts."""
    key = [entity_document("d", [Span(0, 1, "P"), Span(4, 5, "P"), Span(6, 7, "P")], length=9, words=PLACED.copy)]
    tokens = PLACED[:1] + PLACED[2:]
    shorter = [entity_document("d", [Span(0, 1, "P"), Span(3, 4, "P")], length=8, words=tokens.copy)]
    other = [entity_document("d", [Span(0, 1, "P")], length=len(OTHER), words=OTHER.copy)]
    strings = [replace(entity_document("d", []), listed=tuple(
        StringEntity(string, "P") for string in ("Bob", "Ann", "Eve", "Ann")
    ))]  # fmt: skip
    return answers(key, shorter, other, strings)


def answers(key: Any, shorter: Any, other: Any, strings: Any) -> list[tuple[Any, Any, dict[str, Any]]]:
    return [(key, shorter, {}), (key, other, {"realign": "words"}), (key, strings, {}),
            (key, strings, {"place": "in-order"})]  # fmt: skip


def zero_at(place: int) -> list[Document]:
    """A text with a word and a zero before it, which depends on the same word wherever it stands."""
    zero = Mention(STEP + place, STEP + place + 1, "a", head=STEP + place, dependencies=frozenset([(STEP, "nsubj")]))
    return [coref_document("d", [zero, Mention(2 * STEP, 2 * STEP + 1, "a")], tokens=["x", "", "y"],
                          positions=np.asarray([STEP, STEP + place, 2 * STEP]))]  # fmt: skip


def texts_with_kinds(rng: random.Random) -> tuple[list[Document], list[Document]]:
    """Key and response of a text of six mentions of a word each, with kinds or without, in chains."""
    words = rng.choices(("Ann", "she", "elle", "Bob", "il", "he"), k=6)
    return text_with_kinds(rng, words), text_with_kinds(rng, words)


def text_with_kinds(rng: random.Random, words: list[str]) -> list[Document]:
    kinds = rng.choice(((), ("name", "noun", "pronoun")))
    mentions = [
        Mention(place, place + 1, rng.choice("abc"), features={"kind": rng.choice(kinds)} if kinds else {})
        for place in range(len(words))
    ]
    return [coref_document("d", mentions, tokens=words)]


INPUTS: dict[tuple[str, str], list[tuple[Any, Any, dict[str, Any]]]] = {
    **{("coref", name): coref_answers() for name in ("other_text", "place", "realign", "unplaced")},
    **{("entities", name): entity_answers() for name in ("other_text", "place", "realign", "unplaced")},
    ("coref", "match"): [(long_mention(4, 1, (0, 3)), long_mention(2, 1), {}),
                         (long_mention(4, 1, (0, 3)), long_mention(3, 0), {})],
    ("coref", "zeros"): [(zero_at(1), zero_at(2), {})],
    ("coref", "kinds"): [
        (*texts_with_kinds(random.Random(seed)), options)
        for seed in range(60)
        for options in ({}, {"only": ("pronoun",)}, {"width": 1})
    ],
    ("coref", "duplicates"): [([{1, 2}, {2, 3}], [{1, 2}, {3}], {})],
    ("coref", "links"): [(SINGLETONS, [{1, 2}], {}), ([{1, 2}], SINGLETONS, {}), ([{1, 2, 3}], [{1, 2}, {3}], {})],
    ("coref", "undefined"): [
        ([{1, 2}], [], {}), (SINGLETONS, SINGLETONS, {}), (SINGLETONS, [{1, 2}], {}), ([{1, 2}], SINGLETONS, {}),
        ([{1}], [{2}], {}), ([{1}], [{1}], {}), ({"a": [{1, 2}], "b": []}, {"a": [{1, 2}], "b": []}, {}),
    ],
    ("speech", "alignment"): [({"a": "pari is pari then a paris"}, {"a": "the a pen paris b a"}, {})],
    ("tagging", "compounds"): [
        ([{"words": list("abc"), "tags": list("NVN"), "compounds": [[0, 2, "N"]]}],
         [{"words": list("abc"), "tags": list("VVN"), "compounds": [[0, 2, "N"]]}], {}),
    ],
    ("speech", "transcript_language"): [({"a": "euh oui"}, {"a": "oui"}, {})],
    ("speech", "compounds"): [({"a": "the white paper"}, {"a": "the whitepaper"}, {})],
    ("speech", "fragments"): [({"a": "the pa- b"}, {"a": "the pa b"}, {}), ({"a": "pa- a"}, {"a": "paris a"}, {})],
    ("entities", "case"): [([(0, 1, "PER")], [(0, 1, "per")], {})],
    ("entities", "pairing"): [
        ([(0, 4, "PER"), (4, 6, "PER")], [(0, 5, "PER"), (0, 1, "PER")], {"match": "overlap"}),
        ([(0, 3, "A"), (2, 5, "A")], [(2, 3, "A"), (0, 1, "A")], {"match": "overlap"}),
    ],
}  # fmt: skip
"""Keys, responses and other options of which one shows that an option of a comparison or a measure acts."""
ALIKE: dict[tuple[str, str], dict[tuple[Any, Any], str]] = {
    ("anaphora.coref", "language"): {(DEFAULT, "english"): "auto is English here"},
    ("entities.conll", "scheme"): {(DEFAULT, "IOB2"): "auto is IOB2 here"},
    ("speech.trn", "ids"): {(DEFAULT, "none"): "the names that are generated do not begin with a speaker's"},
}
"""Values that give the same on all that is generated, by measure or task and option, with the reason."""
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("entities.doccano", "labels_field"): "tests/syntax/test_field_names.py: spans that are written are lists",
    ("anaphora.coref", "anaphors"): "tests/tasks/anaphora/formats: all chains that are generated have pronouns alone",
    ("anaphora.coref", "antecedents"): "tests/tasks/anaphora/formats: no anaphor that is generated has two antecedents",
    ("coref.exclusive_core", "undefined"): "its values are defined for all that is generated",
    ("coref.muc", "mentions"): "MUC counts links, which mentions without a counterpart do not change",
    ("coref.overlap", "undefined"): "its values are defined for all that is generated",
    ("coref.typed_links", "transitive"): "tests/tasks/coref/measures/test_typed_links.py: relation names are free text",
    ("coref.typed_links", "undirected"): "tests/tasks/coref/measures/test_typed_links.py: relation names are free text",
    ("coref", "unreadable"): "tests/alignment/test_defects.py: answers that are cut off are not generated",
    ("entities", "alignment_alpha"): "tests/tasks/entities/pairing/test_spans.py: only with the alignment `global`",
    ("entities", "mark_label"): "tests/tasks/entities/formats: marks without a label are not generated",
    ("entities", "unreadable"): "tests/alignment/test_defects.py: answers that are cut off are not generated",
    ("entities.tags_jsonl", "tag_names"): "tests/tasks/entities/formats/test_tags_jsonl.py: tags are written as names",
    ("entities.conll", "repair"): "tests/tasks/entities/formats/test_conll.py: no tag that is written is illegal",
    (
        "speech",
        "closeness",
    ): "tests/tasks/speech/test_downstream.py: sounds choose the same alignment of generated words",
    (
        "speech.content_wer",
        "language",
    ): "tests/tasks/speech/measures/test_content_wer.py: taggers need parts of speech",
    ("speech.content_wer", "pos"): "tests/tasks/speech/measures: parts of speech need a package",
    ("speech.oov_wer", "vocabulary"): "tests/tasks/speech/measures: vocabularies are files",
    ("speech.sentence_error", "alignment"): "every alignment finds errors in the same sentences",
    ("speech.severity", "alignment"): "the alignments of the words that are generated cost the same",
    ("speech.severity", "weights"): "tests/tasks/speech/measures: weights are files",
    ("speech.tcp_wer", "collar"): "tests/tasks/speech/measures: times are not generated",
    (
        "speech.causes",
        "sounds",
    ): "tests/tasks/speech/test_causes.py: no homophones are generated, and sounds need gruut",
    ("speech.causes", "vocabulary"): "tests/tasks/speech/test_causes.py: vocabularies are files",
    ("speech.tcorc_wer", "collar"): "tests/tasks/speech/measures: times are not generated",
    ("speech.der", "boundary_collar"): "tests/tasks/speech/measures: times are not generated",
    ("speech.der", "overlap"): "tests/tasks/speech/measures: times are not generated",
    ("speech.jer", "boundary_collar"): "tests/tasks/speech/measures: times are not generated",
    ("speech.jer", "overlap"): "tests/tasks/speech/measures: times are not generated",
    ("speech.orc_wer", "search"): "tests/tasks/speech/measures: meetings of several speakers are not generated",
    ("speech.tcorc_wer", "search"): "tests/tasks/speech/measures: meetings of several speakers are not generated",
    ("speech.di_cp_wer", "search"): "tests/tasks/speech/measures: meetings of several speakers are not generated",
    ("speech.cp_split", "search"): "tests/tasks/speech/measures: meetings of several speakers are not generated",
    ("speech", "markup"): "tests/tasks/speech/formats: tags in the text are not generated",
    ("speech", "model"): "tests/tasks/speech/measures: models are files",
    ("speech", "optional"): "tests/tasks/speech/formats: optional words are not generated",
    ("speech", "reduce"): "tests/tasks/speech/test_nist.py: alternatives, which it reduces, are not generated",
    ("speech", "typology"): "tests/tasks/speech/test_downstream.py: labels of a typology are not generated",
    ("tagging", "features"): "tests/tasks/tagging/measures: only universal features are generated",
    ("tagging", "key_table"): "tests/tasks/tagging/test_comparison.py: tables are files",
    ("tagging", "lexicon"): "tests/tasks/tagging/test_comparison.py: lexicons are files",
    ("tagging", "table"): "tests/tasks/tagging/grace: tables are files",
    ("tagging", "tagset"): "tests/tasks/tagging/grace: tagsets are files",
    ("tagging", "unlisted"): "tests/tasks/tagging/test_comparison.py: it is about tags that a table does not list",
}
"""Options that act on nothing that is generated, with the tests that show that they act."""


def other_values(task: str, option: Option) -> tuple[Any, ...]:
    """Values that are not the default: all choices, the other truth value, neighbours of a number, or those listed."""
    if (task, option.name) in TEXTS:
        return TEXTS[task, option.name]
    if option.choices:
        return tuple(choice for choice in option.choices if choice != option.default)
    if isinstance(option.default, bool):
        return (not option.default,)
    if isinstance(option.default, int | float):
        candidates = (option.default + 1, option.default / 2, option.default + 7)
        return tuple(number for number in candidates if number in option.range)
    return ()


def strategies(task: str) -> Any:
    return import_module(f"tests.tasks.{task}.strategies")


def value_of(option: Option, value: Any) -> dict[str, Any]:
    return {} if value == DEFAULT else {option.name: value}


class PairsOfValues:
    """Which values of an option have not given different results yet.

    Of free values, each must differ from the default; of choices, each from every other, or one of them is something
    else under another name.
    """

    def __init__(self, option: Option, values: Sequence[Any]) -> None:
        pairs = combinations((DEFAULT, *values), 2) if option.choices else ((DEFAULT, value) for value in values)
        self.some_suffices = not option.choices
        self.alike = {frozenset(pair) for pair in pairs}
        self.all_differ = not self.alike

    def values_alike(self) -> list[Any]:
        return sorted(frozenset().union(*self.alike), key=str)

    def compare(self, outcomes: Mapping[Any, Any]) -> None:
        """Keep the pairs with the same outcome; two refusals are no difference."""
        different = {
            pair for pair in self.alike if pair <= outcomes.keys() and _differ(*(outcomes[value] for value in pair))
        }
        self.alike -= self.alike if self.some_suffices and different else different
        self.all_differ = not self.alike


def _differ(first: Any, second: Any) -> bool:
    return bool(first != second) and not (isinstance(first, str) and isinstance(second, str))


# Comparing, counting and scoring.


def _scoring_options() -> Iterator[Any]:
    for task in TASKS:
        measures = [measure for measure in registry.measures(task) if not any(map(_is_lacking, measure.requires))]
        named = {measure.name.partition(".")[2]: measure for measure in measures}
        for name, option in options_of(registry.task(task).comparing.compare).items():
            yield pytest.param(task, list(named.values()), option, id=f"{task}-{name}")
        for short, measure in named.items():
            for name, option in measure.options.items():
                if name not in measure.fixed_options and len(option.choices) != 1:
                    yield pytest.param(task, [measure], option, id=f"{task}-{short}-{name}")


def _is_lacking(package: str) -> bool:
    return find_spec(package) is None


def observe(measures: list[Measure], key: Any, response: Any, options: Mapping[str, Any]) -> Any:
    """The numbers and warnings of a score, or why it is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = aune.score(measures[0].task, key, response, measures=measures, **options)
        return [(score.name, score.values, score.counts) for score in result], result.warnings
    except aune.AuneError as error:
        return str(error)


@pytest.mark.parametrize(("task", "measures", "option"), list(_scoring_options()))
def test_an_option_of_a_score_acts(task: str, measures: list[Measure], option: Option) -> None:
    owner = measures[0].name if len(measures) == 1 else task
    if reason := EXCEPTIONS.get((owner, option.name)) or EXCEPTIONS.get((task, option.name)):
        pytest.skip(reason)
    values = other_values(task, option)
    assert values, f"no other value of {option.name} is known: add some to TEXTS, or a reason to EXCEPTIONS"
    home = strategies(task)
    known = {*options_of(registry.task(task).comparing.compare), *(name for m in measures for name in m.options)}
    usual = {name: value for name, value in home.OPTIONS.items() if name in known and name != option.name}
    unlike = PairsOfValues(option, values)

    def look(key: Any, response: Any, options: Mapping[str, Any]) -> None:
        few = [measure for measure in measures if measure.short == registry.task(task).ranking]
        for chosen in (few, measures) if len(measures) > 1 else (measures,):
            unlike.compare({value: observe(chosen, key, response, {**options, **value_of(option, value)})
                            for value in unlike.values_alike()})  # fmt: skip

    for key, response, others in INPUTS.get((task, option.name), ()):
        look(key, response, {**usual, **others})

    @settings(max_examples=EXAMPLES, phases=[Phase.generate])
    @given(home.CORPORA)
    def search(sides: tuple[Any, Any]) -> None:
        if not unlike.all_differ:
            look(*sides, usual)

    if not unlike.all_differ:
        search()
    alike = unlike.alike - {frozenset(pair) for pair in ALIKE.get((owner, option.name), {})}
    assert not alike, f"--{option.name}: these values give the same: {alike}"


# Agreement.


def _judging_options() -> Iterator[Any]:
    for task in TASKS:
        if judgements := registry.task(task).agreement.judgements:
            for name, option in options_of(judgements).items():
                yield pytest.param(task, option, id=f"{task}-{name}")


def observe_agreement(task: str, annotators: tuple[Any, Any], options: Mapping[str, Any]) -> Any:
    """The coefficients and warnings of two annotators, or why they are refused."""
    try:
        result = annotators_agreement(task, dict(zip("ab", annotators, strict=True)), **options)
    except aune.AuneError as error:
        return str(error)
    return [(score.name, score.values) for score in result], result.warnings


@pytest.mark.parametrize(("task", "option"), list(_judging_options()))
def test_an_option_of_agreement_acts(task: str, option: Option) -> None:
    values = other_values(task, option)
    assert values, f"no other value of {option.name} is known: add some to TEXTS"
    unlike = PairsOfValues(option, values)

    @settings(max_examples=EXAMPLES, phases=[Phase.generate])
    @given(strategies(task).CORPORA)
    def search(sides: tuple[Any, Any]) -> None:
        unlike.compare({value: observe_agreement(task, sides, value_of(option, value))
                        for value in unlike.values_alike()})  # fmt: skip

    search()
    assert unlike.all_differ, f"--{option.name}: these values give the same: {unlike.alike}"


# Reading.


def _reading_options() -> Iterator[Any]:
    for task in TASKS:
        for form in registry.formats(task):
            for name, option in options_of(form.read).items():
                yield pytest.param(task, form.name, option, id=f"{task}-{form.name}-{name}")


def documents_of(task: str, path: str, form: str, options: Mapping[str, Any]) -> Any:
    """What is read from a file: documents, warnings and problems, or why it is refused."""
    try:
        corpus, problems = read_with_problems(registry.task(task), path, form, **options)
    except aune.AuneError as error:
        return str(error)
    return repr(corpus.documents), corpus.warnings, [str(problem) for problem in problems]


@pytest.mark.parametrize(("task", "form", "option"), list(_reading_options()))
def test_an_option_of_a_reader_acts(task: str, form: str, option: Option, tmp_path: Path) -> None:
    if reason := EXCEPTIONS.get((f"{task}.{form}", option.name)) or EXCEPTIONS.get((task, option.name)):
        pytest.skip(reason)
    values = other_values(task, option)
    assert values, f"no other value of {option.name} is known: add some to TEXTS, or a reason to EXCEPTIONS"
    key, response = corpora.records(task, RECORDS)
    others = {name: value for name, value in corpora.OPTIONS.get(f"{task}.{form}", {}).items()
              if name in options_of(registry.format(task, form).read) and name != option.name}  # fmt: skip
    unlike = PairsOfValues(option, values)
    for name, records in (("key", key), ("response", response)):
        path = corpora.write_text(tmp_path, name, task, form, records)
        unlike.compare({value: documents_of(task, path, form, {**others, **value_of(option, value)})
                        for value in unlike.values_alike()})  # fmt: skip
    alike = unlike.alike - {frozenset(pair) for pair in ALIKE.get((f"{task}.{form}", option.name), {})}
    assert not alike, f"--{option.name}: these values give the same: {alike}"


def test_exceptions_name_options() -> None:
    """An exception or an input for an option that is gone is removed."""
    known = {(task, option.name) for task in TASKS for function in _functions(task) for option in
             options_of(function).values()}  # fmt: skip
    known |= {(f"{task}.{form.name}", name) for task in TASKS for form in registry.formats(task) for name in
              options_of(form.read)}  # fmt: skip
    known |= {(measure.name, name) for task in TASKS for measure in registry.measures(task) for name in measure.options}
    assert {*EXCEPTIONS, *INPUTS, *TEXTS, *ALIKE} <= known


TESTS = re.compile(r"(tests/[\w/.]+?):")


@pytest.mark.parametrize(("owner", "name"), EXCEPTIONS)
def test_an_exception_names_a_test_of_the_option(owner: str, name: str) -> None:
    """The file or folder that shows that an option acts exists, and names the option."""
    if place := TESTS.match(EXCEPTIONS[owner, name]):
        path = Path(__file__).parent.parent / place[1]
        files = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
        assert any(re.search(rf"\b{name}\b|--{name.replace('_', '-')}\b", file.read_text("utf-8")) for file in files)


def _functions(task: str) -> Iterator[Any]:
    home = registry.task(task)
    yield home.comparing.compare
    if home.agreement.judgements:
        yield home.agreement.judgements
    yield from (form.read for form in registry.formats(task))
    for measure in registry.measures(task):
        yield from (measure.count, measure.score)


NEEDS_ANOTHER: list[tuple[str, Any, dict[str, Any], dict[str, Any]]] = [
    ("entities", [(0, 1, "PER")], {"measures": ["eter"], "alignment_alpha": 0.7}, {"alignment": "global"}),
    ("speech", {"a": "good morning"}, {"measures": ["content_wer"], "language": "fr"}, {}),
    ("tagging", [("a", "N")], {"unlisted": "keep"}, {}),
]


@pytest.mark.parametrize(("task", "key", "options", "another"), NEEDS_ANOTHER)
def test_an_option_that_needs_another_is_refused_without_it(
    task: str, key: Any, options: dict[str, Any], another: dict[str, Any]
) -> None:
    """It would be part of the signature and change nothing."""
    with pytest.raises(aune.UsageError, match="expected "):
        aune.score(task, key, key, **options)
    if another:
        aune.score(task, key, key, **options, **another)
