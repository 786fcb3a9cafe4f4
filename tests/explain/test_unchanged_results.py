"""Results of two versions of a key on what is the same in both: equal to scoring that part alone."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aune
from aune.cli import run
from aune.corrections.unchanged_units import match_units
from aune.errors import UsageError
from aune.tasks.entities import model as entities
from aune.tasks.tagging import model as tagging

pytestmark = pytest.mark.filterwarnings("ignore::aune.errors.AuneWarning")
OLD = {f"d{number}": [("the", "D"), ("cat", "N"), ("sat", "V" if number else "N")] for number in range(12)}
NEW = {**OLD, "d0": [("the", "D"), ("cat", "N"), ("sat", "V")], "d1": [("the", "X"), ("cat", "N"), ("sat", "V")]}
SYSTEMS = {"a": {**NEW, "d2": [("the", "D"), ("cat", "V"), ("sat", "V")]}, "b": OLD}
COMMON = [name for name in OLD if OLD[name] == NEW[name]]
CHAINS = {f"d{number}": [{1, 2, 3}, {4, 5}] for number in range(8)}
OTHER_CHAINS = {**CHAINS, "d3": [{1, 2}, {3, 4, 5}]}
CHAIN_RESPONSE = {name: [{1, 2}, {3, 4, 5}] if number % 2 else [{1, 2, 3, 4, 5}] for number, name in enumerate(CHAINS)}


def compare_sides(old: Any = OLD, new: Any = NEW, task: str = "tagging", **systems: Any) -> aune.Result:
    systems = systems or SYSTEMS
    runs = {
        name: aune.score(task, key, response) for key, (name, response) in zip((old, new), systems.items(), strict=True)
    }
    return aune.keep_unchanged(runs, old, new)


@pytest.mark.parametrize("task, old, new, systems", [
    ("tagging", OLD, NEW, SYSTEMS),
    ("coref", CHAINS, OTHER_CHAINS, {"a": CHAIN_RESPONSE, "b": CHAINS}),
    ("speech", {"u": "one two", "v": "three four"}, {"u": "one two", "v": "three"}, {"a": {"u": "one", "v": "x"},
                                                                              "b": {"u": "two", "v": "three"}}),
])  # fmt: skip
def test_values_are_those_of_the_common_part_alone(task: str, old: Any, new: Any, systems: Any) -> None:
    part = {name: document for name, document in old.items() if document == new[name]}
    assert 0 < len(part) < len(old)
    result = compare_sides(old, new, task, **systems)
    for system, response in systems.items():
        alone = aune.score(task, part, {name: response[name] for name in part})
        for score in alone:
            assert result[system, score.name].values == pytest.approx(score.values, nan_ok=True)


def test_the_same_key_twice_leaves_out_nothing() -> None:
    result = compare_sides(OLD, dict(OLD))
    for system, response in SYSTEMS.items():
        assert result[system, "accuracy"].values == aune.score("tagging", OLD, response)["accuracy"].values
    assert result.warnings[-1] == "compared on all 12 sentences: their key is the same in both versions"


def test_what_is_left_out_is_in_the_warning_and_the_signature() -> None:
    result = compare_sides()
    assert result.warnings[-1] == (
        "compared on 10 of 12 sentences: the key of 2 sentences is not the same in both versions"
    )
    assert result["a", "accuracy"].signature.options["left_out"] == "2/12"
    assert [record.role for record in result.inputs][:2] == ["key", "older key"]
    assert len(aune.compare(result, draws=50).pairs) > 0


def write_key(path: Path, documents: Any) -> str:
    path.write_text("\n".join("".join(f"{word}\t{tag}\n" for word, tag in text) for text in documents.values()))
    return str(path)


def test_sentences_of_one_document_are_told_apart(tmp_path: Path) -> None:
    """Files without names of documents, each of which is called like its file."""
    paths = {name: write_key(tmp_path / f"{name}.tsv", texts) for name, texts in
             {"old": OLD, "new": NEW, **SYSTEMS}.items()}  # fmt: skip
    stored, out = tmp_path / "stored", tmp_path / "out.json"
    assert run(["score", "tagging", paths["old"], paths["b"], "-m", "accuracy", "--rows", str(stored), "-q"]) == 0
    words = ["compare", "tagging", paths["new"], paths["a"], "--reference", str(stored), "-m", "accuracy", "-q",
             "--draws", "50", "--json", "-o", str(out)]  # fmt: skip
    assert run(words) == 2, "without --unchanged they are refused"
    assert run([*words, "--unchanged", paths["old"]]) == 0
    data = json.loads(out.read_text())
    part = {name: OLD[name] for name in COMMON}
    for score in data["scores"]:
        alone = aune.score("tagging", part, {name: SYSTEMS[score["system"]][name] for name in COMMON})
        assert score["values"]["accuracy"] == alone["accuracy"].accuracy
        assert "left_out:2/12" in score["signature"]
    assert [entry["role"] for entry in data["inputs"]][:2] == ["key", "older key"]


def test_a_result_by_another_key_is_refused(tmp_path: Path) -> None:
    old, new, other = (write_key(tmp_path / name, texts) for name, texts in
                       (("old.tsv", OLD), ("new.tsv", NEW), ("other.tsv", SYSTEMS["a"])))  # fmt: skip
    runs = {"first": aune.score("tagging", old, old), "second": aune.score("tagging", other, old)}
    with pytest.raises(UsageError, match="was scored by the key with the digest"):
        aune.keep_unchanged(runs, old, new)


def test_what_cannot_be_restricted_is_refused() -> None:
    runs = {name: aune.score("tagging", OLD, SYSTEMS[name], measures=["kappa"]) for name in SYSTEMS}
    with pytest.raises(UsageError, match="settled over the whole corpus"):
        aune.keep_unchanged(runs, OLD, NEW)
    everything = {name: [("the", "X"), ("cat", "X"), ("sat", "X")] for name in OLD}
    with pytest.raises(UsageError, match="has the same key in both versions"):
        compare_sides(OLD, everything)
    with pytest.raises(UsageError, match="at least one result"):
        aune.keep_unchanged([], OLD, NEW)


def test_the_command_refuses_what_it_cannot_restrict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["speech", "-", "a", "b", "--unchanged", "k"], ["speech", "k", "a", "b", "--unchanged", "-"]):
        assert run(["compare", *words]) == 2
        assert "name their files instead of -" in capsys.readouterr().err
    assert run(["compare", "speech", "k", "a", "b", "--unchanged", "k", "--test", "mapsswe"]) == 2
    assert "cannot be used with --unchanged" in capsys.readouterr().err


def test_an_entity_across_a_boundary_changes_both_sentences() -> None:
    words = ["Ann", "left", "New", "York", "today", "."]
    old, new = (
        entities.make_document("d", spans, length=6, words=words.copy, sentences=np.array([0, 2, 4]))
        for spans in ([entities.Span(0, 1, "PER")], [entities.Span(0, 1, "PER"), entities.Span(3, 5, "LOC")])
    )
    names = match_units("entities", [old], [new]).names
    assert names["sentence"] == {"d:1"} and not names["document"]


def test_everything_that_documents_say_counts() -> None:
    """Not only the tags that are compared by default: a head, a lemma, a compound, a word; not the line in the file."""

    def make_key(**changes: Any) -> list[tagging.Document]:
        fields = {"words": ["a", "b"], "tag": ["X", "Y"], "lemma": ["a", "b"], "heads": [1, -1], **changes}
        heads = np.array(fields.pop("heads"))
        columns = {name: fields.pop(name) for name in ("tag", "lemma")}
        return [tagging.make_document("d", fields.pop("words"), columns, heads=heads, **fields)]

    old = make_key()
    for change in ({"tag": ["X", "Z"]}, {"lemma": ["a", "c"]}, {"heads": [-1, 0]}, {"words": ["a", "c"]},
                   {"compounds": (tagging.Compound(0, 2, "C"),)}, {"attributes": {"genre": "x"}}):  # fmt: skip
        assert not match_units("tagging", old, make_key(**change)).names["document"], change
    assert match_units("tagging", old, make_key(line=7, path="x")).names["document"] == {"d"}
    renamed = match_units("tagging", old, [replace(old[0], id="e")])
    assert renamed.names["document"] == {"d"} and renamed.old_name("document", "e") == "d"


def test_the_lines_of_python_on_the_page_give_the_numbers_of_its_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(__file__).resolve().parents[2]
    monkeypatch.chdir(root)
    page = (root / "docs" / "doubts.md").read_text("utf-8")
    [program] = [text for text in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "keep_unchanged" in text]
    exec(program, {})
    f1, difference = (f"{100 * float(number):.2f}" for number in capsys.readouterr().out.split()[:2])
    assert f"f1      85.71  {f1}" in page and f"+{difference}  [" in page
