"""The law of options: one that is accepted acts.

For every option of a comparison, a measure, a reader and the agreement of annotators of every task: on generated input,
some other value changes a number, a warning or a document, or is refused. An option that does nothing silently would
pass every other test. A new measure, format or task is tested without a line here, unless its options need input that
is not generated: then `TEXTS` names their values, `INPUTS` the input where they matter, or `EXCEPTIONS` the test that
shows that they act.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings

import aune
from aune.contract import registry
from aune.contract.measure import Measure
from aune.contract.options import Option, options_of
from aune.explain.annotators import annotators_agreement
from aune.reading.corpus import read_with_problems
from tests.evaluation import corpora

TASKS = registry.task_names()
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
INPUTS: dict[tuple[str, str], list[tuple[Any, Any, dict[str, Any]]]] = {
    ("coref", "duplicates"): [([{1, 2}, {2, 3}], [{1, 2}, {3}], {})],
    ("coref", "links"): [(SINGLETONS, [{1, 2}], {}), ([{1, 2}], SINGLETONS, {}), ([{1, 2, 3}], [{1, 2}, {3}], {})],
    ("coref", "undefined"): [
        ([{1, 2}], [], {}), (SINGLETONS, SINGLETONS, {}), (SINGLETONS, [{1, 2}], {}), ([{1, 2}], SINGLETONS, {}),
        ([{1}], [{2}], {}), ([{1}], [{1}], {}), ({"a": [{1, 2}], "b": []}, {"a": [{1, 2}], "b": []}, {}),
    ],
    ("speech", "compounds"): [({"a": "the white paper"}, {"a": "the whitepaper"}, {})],
    ("speech", "fragments"): [({"a": "the pa- b"}, {"a": "the pa b"}, {}), ({"a": "pa- a"}, {"a": "paris a"}, {})],
    ("entities", "case"): [([(0, 1, "PER")], [(0, 1, "per")], {})],
    ("entities", "pairing"): [
        ([(0, 4, "PER"), (4, 6, "PER")], [(0, 5, "PER"), (0, 1, "PER")], {"match": "overlap"}),
        ([(0, 3, "A"), (2, 5, "A")], [(2, 3, "A"), (0, 1, "A")], {"match": "overlap"}),
    ],
}  # fmt: skip
"""Keys, responses and other options of which one shows that an option of a comparison or a measure acts."""
ANOTHER_TEXT = "a response to another text, or without positions, is not generated"
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("entities.doccano", "labels_field"): "tests/syntax/test_field_names.py: spans that are written are lists",
    ("anaphora.coref", "anaphors"): "tests/tasks/anaphora/formats: all chains that are generated have pronouns alone",
    ("anaphora.coref", "antecedents"): "tests/tasks/anaphora/formats: no anaphor that is generated has two antecedents",
    ("coref.exclusive_core", "undefined"): "its values are defined for all that is generated",
    ("coref.muc", "mentions"): "MUC counts links, which mentions without a counterpart do not change",
    ("coref.overlap", "undefined"): "its values are defined for all that is generated",
    ("coref.typed_links", "transitive"): "tests/tasks/coref/measures/test_typed_links.py: relation names are free text",
    ("coref.typed_links", "undirected"): "tests/tasks/coref/measures/test_typed_links.py: relation names are free text",
    ("coref", "match"): "tests/tasks/coref/mentions/test_matches.py: minimal spans and heads are not generated",
    ("coref", "other_text"): f"tests/tasks/coref/test_realignment.py: {ANOTHER_TEXT}",
    ("coref", "place"): f"tests/tasks/coref/test_realignment.py: {ANOTHER_TEXT}",
    ("coref", "realign"): f"tests/tasks/coref/test_realignment.py: {ANOTHER_TEXT}",
    ("coref", "unplaced"): f"tests/tasks/coref/test_realignment.py: {ANOTHER_TEXT}",
    ("coref", "unreadable"): "tests/syntax/test_llm_answers.py: answers that are cut off are not generated",
    ("entities", "alignment_alpha"): "tests/tasks/entities/pairing/test_spans.py: only with the alignment `global`",
    ("entities", "mark_label"): "tests/tasks/entities/formats: marks without a label are not generated",
    ("entities", "other_text"): f"tests/tasks/entities/pairing: {ANOTHER_TEXT}",
    ("entities", "place"): f"tests/tasks/entities/pairing: {ANOTHER_TEXT}",
    ("entities", "realign"): f"tests/tasks/entities/pairing: {ANOTHER_TEXT}",
    ("entities", "unplaced"): f"tests/tasks/entities/pairing: {ANOTHER_TEXT}",
    ("entities", "unreadable"): "tests/syntax/test_llm_answers.py: answers that are cut off are not generated",
    ("entities.tags_jsonl", "tag_names"): "tests/tasks/entities/formats/test_tags_jsonl.py: tags are written as names",
    ("entities.conll", "repair"): "tests/tasks/entities/formats/test_conll.py: no tag that is written is illegal",
    (
        "speech",
        "closeness",
    ): "tests/tasks/speech/test_downstream.py: sounds choose the same alignment of generated words",
    ("speech.content_wer", "language"): "tests/tasks/speech/measures: no tagger is loaded without parts of speech",
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
    ("speech.causes", "transcript_language"): "tests/tasks/speech/test_causes.py: no French is generated",
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
    ("tagging", "key_table"): "tests/tasks/tagging/grace: tables are files",
    ("tagging", "lexicon"): "tests/tasks/tagging/grace: lexicons are files",
    ("tagging", "table"): "tests/tasks/tagging/grace: tables are files",
    ("tagging", "tagset"): "tests/tasks/tagging/grace: tagsets are files",
    ("tagging", "unlisted"): "tests/tasks/tagging/grace: it is about tags that a table does not list",
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
    acts = False

    def look(key: Any, response: Any, options: Mapping[str, Any], few: bool = False) -> bool:
        chosen = [m for m in measures if m.short == registry.task(task).ranking] if few else measures
        before = observe(chosen, key, response, options)
        after = [observe(chosen, key, response, {**options, option.name: value}) for value in values]
        return any(result != before and not (isinstance(result, str) and isinstance(before, str)) for result in after)

    if inputs := INPUTS.get((task, option.name)):
        assert any(look(key, response, {**usual, **others}) for key, response, others in inputs)
        return

    @settings(max_examples=EXAMPLES, phases=[Phase.generate])
    @given(home.CORPORA)
    def search(sides: tuple[Any, Any]) -> None:
        nonlocal acts
        acts = acts or look(*sides, usual, few=len(measures) > 1) or (len(measures) > 1 and look(*sides, usual))

    search()
    assert acts, f"--{option.name} changes nothing under {values}"


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
    acts = False

    @settings(max_examples=EXAMPLES, phases=[Phase.generate])
    @given(strategies(task).CORPORA)
    def search(sides: tuple[Any, Any]) -> None:
        nonlocal acts
        before = observe_agreement(task, sides, {})
        acts = acts or any(observe_agreement(task, sides, {option.name: value}) != before for value in values)

    search()
    assert acts, f"--{option.name} changes nothing under {values}"


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
    outcomes = []
    for name, records in (("key", key), ("response", response)):
        path = corpora.written(tmp_path, name, task, form, records)
        before = documents_of(task, path, form, others)
        outcomes += [documents_of(task, path, form, {**others, option.name: value}) != before for value in values]
    assert any(outcomes), f"--{option.name} changes nothing under {values}"


def test_exceptions_name_options() -> None:
    """An exception or an input for an option that is gone is removed."""
    known = {(task, option.name) for task in TASKS for function in _functions(task) for option in
             options_of(function).values()}  # fmt: skip
    known |= {(f"{task}.{form.name}", name) for task in TASKS for form in registry.formats(task) for name in
              options_of(form.read)}  # fmt: skip
    known |= {(measure.name, name) for task in TASKS for measure in registry.measures(task) for name in measure.options}
    assert {*EXCEPTIONS, *INPUTS, *TEXTS} <= known


def _functions(task: str) -> Iterator[Any]:
    home = registry.task(task)
    yield home.comparing.compare
    if home.agreement.judgements:
        yield home.agreement.judgements
    yield from (form.read for form in registry.formats(task))
    for measure in registry.measures(task):
        yield from (measure.count, measure.score)
