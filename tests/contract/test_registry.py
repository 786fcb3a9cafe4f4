"""Names and expressions: what a user writes after -m."""

from __future__ import annotations

import pkgutil
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.contract import registry
from aune.contract.measure import Measure
from aune.errors import UsageError


def test_everything_is_found_by_its_path() -> None:
    assert "coref" in registry.task_names()
    assert registry.task("coref").name == "coref"
    assert {"coref.muc", "coref.b_cubed"} <= {measure.name for measure in registry.measures("coref")}
    assert {"conll2012", "partition"} <= {item.name for item in registry.formats("coref")}
    assert registry.format("coref", "partition").name == "partition"


@pytest.mark.parametrize("task", registry.task_names())
def test_folders_are_looked_into_once(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half the time of scoring a batch was spent listing formats."""
    registry.required_modules(task, registry.measures(task))
    monkeypatch.setattr(pkgutil, "iter_modules", lambda _: pytest.fail("looked again"))
    registry.required_modules(task, registry.measures(task))


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("muc", "coref.muc"),
        ("coref.muc", "coref.muc"),
        (" muc ", "coref.muc"),
        ("muc()", "coref.muc"),
        ("b_cubed(weights=chain)", "coref.b_cubed(weights=chain)"),
        ("b_cubed( weights = chain , mentions=complete)", "coref.b_cubed(mentions=complete,weights=chain)"),
        ("macro(muc,by=document)", "macro(coref.muc,by=document)"),
        ("macro( b_cubed(weights=chain), by = genre )", "macro(coref.b_cubed(weights=chain),by=genre)"),
        ("mean(muc,coref.lea.recall)", "mean(coref.muc.f1,coref.lea.recall)"),
        ("mean(b_cubed(weights=chain).recall, kappa)", "mean(coref.b_cubed(weights=chain).recall,coref.kappa.kappa)"),
        ("error(muc)", "error(coref.muc)"),
        ("macro(error(muc),by=document)", "macro(error(coref.muc),by=document)"),
        ("mean(error(muc).recall_error, error(lea))", "mean(error(coref.muc).recall_error,error(coref.lea).f1_error)"),
        ("macro(mean(muc, lea), by=document)", "macro(mean(coref.muc.f1,coref.lea.f1),by=document)"),
        ("aune.tasks.coref.measures.muc:MEASURE", "aune.tasks.coref.measures.muc:MEASURE"),
    ],
)
def test_expressions(expression: str, name: str) -> None:
    result = registry.measure(expression, "coref")
    assert isinstance(result, Measure) and result.name == name


def test_a_name_reads_back() -> None:
    """What is printed can be written: in signatures, tables and JSON."""
    for expression in ("muc", "macro(muc,by=document)", "mean(muc, lea.recall)", "b_cubed(weights=chain)"):
        name = registry.measure(expression, "coref").name
        assert registry.measure(name).name == name


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("mucc", "unknown coref measure 'mucc': did you mean 'muc'?"),
        ("coref.xyz", "unknown coref measure 'xyz': expected one of: "),
        ("", "unknown coref measure '': expected one of: "),
        ("muc(", "measure 'muc(': expected a closing parenthesis at the end"),
        ("muc)", "measure 'muc)': found ')' without '('"),
        ("muc())", "measure 'muc())': expected a closing parenthesis at the end"),
        ("muc(beta=2)", "unknown option of coref.muc 'beta': expected one of: mentions, split_antecedents, undefined"),
        ("muc(undefined=two)", "--undefined two: expected zero | one | none"),
        ("muc(lea)", "measure 'muc': expected option=value inside the parentheses"),
        ("b_cubed(weights=chain).f1", "measure b_cubed(…).f1: a value can be named inside mean(…) only"),
        ("error(muc, lea)", "expected error(MEASURE), such as error(muc)"),
        ("error(distribution)", "error(distribution): expected a measure whose values lie between 0 and 1"),
        ("macro(muc)", "expected macro(MEASURE, by=ATTRIBUTE), such as macro(muc, by=document)"),
        ("macro(by=document)", "expected macro(MEASURE, by=ATTRIBUTE), such as macro(muc, by=document)"),
        ("macro(muc, lea, by=document)", "expected macro(MEASURE, by=ATTRIBUTE), such as macro(muc, by=document)"),
        ("mean()", "expected mean(MEASURE.VALUE, …), such as mean(muc.f1, b_cubed.f1)"),
        ("mean(muc.f2)", "unknown value of coref.muc 'f2': expected one of: recall, precision, f1"),
        ("mean(mucc)", "unknown coref measure 'mucc': did you mean 'muc'?"),
        ("mean(muc, variation_of_information)", "a mean needs measures of one task for which the same"),
        ("mean(macro(muc, by=document))", "a macro average inside a mean is not defined: take macro(…) of"),
        ("os:path", "measure 'os:path': expected an aune Measure, found module"),
        ("nowhere.at.all:X", "measure 'nowhere.at.all:X': No module named 'nowhere'"),
        (":", "measure ':': Empty module name"),
        ("os:nothing", "measure 'os:nothing': module 'os' has no attribute 'nothing'"),
    ],
)  # fmt: skip
def test_what_cannot_be(expression: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        registry.measure(expression, "coref")
    assert str(error.value).startswith(message)


def test_the_working_folder_is_searched_only_while_a_measure_of_one_s_own_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_measure.py").write_text("from aune.tasks.coref.measures.muc import MEASURE")
    (tmp_path / "broken_measure.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    before = [*sys.path]
    assert isinstance(registry.measure("own_measure:MEASURE", "coref"), Measure)
    assert sys.path == before
    with pytest.raises(BaseException):  # noqa: B017 - whatever a module of one's own does
        registry.measure("broken_measure:MEASURE", "coref")
    assert sys.path == before


def test_a_bare_name_needs_a_task() -> None:
    with pytest.raises(UsageError) as error:
        registry.measure("muc")
    assert str(error.value) == "measure 'muc': expected a task in front, such as coref.muc"


def test_unknown_task_and_format() -> None:
    with pytest.raises(UsageError) as error:
        registry.task("corref")
    assert str(error.value) == "unknown task 'corref': did you mean 'coref'?"
    with pytest.raises(UsageError) as error:
        registry.format("coref", "conll2021")
    assert str(error.value) == "unknown coref format 'conll2021': did you mean 'conll2012'?"


@given(st.text(alphabet="muc.,()= macroenb_:1\n", max_size=25))
def test_any_text_is_a_measure_or_a_usage_error(text: str) -> None:
    try:
        assert isinstance(registry.measure(text, "coref"), Measure)
    except UsageError as error:
        assert str(error)


def test_errors_are_what_is_missing_to_one() -> None:
    """In scores, by document, with intervals, in other processes and in a training loop."""
    import pickle

    import aune

    key = {"a": [[(0, 1), (2, 3), (4, 5)]], "b": [[(0, 1), (2, 3)], [(4, 5), (6, 7)]]}
    response = {"a": [[(0, 1), (2, 3)]], "b": [[(0, 1), (2, 3), (4, 5), (6, 7)]]}
    result = aune.score("coref", key, response, measures=["muc", "error(muc)"])
    plain, errors = (result.scores[index] for index in range(2))
    assert list(errors.values.values()) == pytest.approx([1 - value for value in plain.values.values()])
    assert errors.by("document")["a"]["recall_error"] == pytest.approx(1 - plain.by("document")["a"]["recall"])
    loop = aune.accumulate("coref", measures=["error(muc)"])
    loop.add(key, response)
    assert pickle.loads(pickle.dumps(loop)).result().scores[0].values == errors.values
