"""Published figures on real data: WNUT-17's seven systems, and every row of the HIPE-2022 files that we can compute."""

from __future__ import annotations

import csv
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import aune
from aune.results.result import SystemScore

WNUT = {
    "arcada": 39.98, "drexel_cci": 26.30, "flytxt": 38.35, "mic-cis": 37.06, "sjtu_adapt": 40.42,
    "spinningbytes": 40.78, "uh_ritual": 41.86,
}  # fmt: skip


@pytest.mark.parametrize(("system", "printed"), WNUT.items())
def test_wnut17(data: Path, system: str, printed: float) -> None:
    folder = data / "entities" / "wnut17"
    result = aune.score("entities", str(folder / "gold.conll"), str(folder / f"{system}.conll"), measures=["f_measure"])
    assert f"{100 * result['f_measure'].f1:.2f}" == f"{printed:.2f}"


def test_wnut17_repairs_are_counted(data: Path) -> None:
    folder = data / "entities" / "wnut17"
    result = aune.score("entities", str(folder / "gold.conll"), str(folder / "mic-cis.conll"), measures=["f_measure"])
    warning, differing = result.warnings
    assert "tokens differ from the key's in gold: entities are matched by position; realign='words'" in differing
    assert warning.endswith(
        "13 entities with tags that IOB2 does not allow, read as conlleval does (first at line 3078: I-group)"
    )
    assert "|repair:conlleval|" in str(result["f_measure"].signature)


@cache
def hipe(folder: Path, system: str, column: str, match: str) -> SystemScore:
    names = {"columns": column, "match": match, "convention": "hipe", "measures": ["f_measure"]}
    return aune.score("entities", str(folder / "gold.tsv"), str(folder / f"{system}.tsv"), **names)["f_measure"]


def official(data: Path) -> list[dict[str, str]]:
    folder = data / "entities" / "hipe2022-ajmc-fr"
    rows = []
    for file in sorted(folder.glob("official_*.tsv")):
        with file.open(encoding="utf-8") as lines:
            rows += list(csv.DictReader(lines, delimiter="\t"))
    return rows


def test_hipe_micro(data: Path) -> None:
    """All micro rows, strict and fuzzy, of every label: the counts, and the rates to the printed digit."""
    folder = data / "entities" / "hipe2022-ajmc-fr"
    rows = [row for row in official(data) if "-micro-" in row["Evaluation"]]
    assert len(rows) == 156
    for row in rows:
        column, _, rest = row["Evaluation"].partition("-micro-")
        scored = hipe(folder, row["System"], column, "type" if rest.startswith("fuzzy") else "strict")
        if row["Label"] == "ALL":
            counts, values = scored.counts, scored.values
        else:
            counts = {name.upper(): item for name, item in scored.counts_by("label").items()}[row["Label"]]
            values = {name.upper(): item for name, item in scored.by("label").items()}[row["Label"]]
        wrong = counts["response"] - counts["response_correct"], counts["key"] - counts["key_correct"]
        assert (counts["key_correct"], *wrong) == (int(row["TP"]), int(row["FP"]), int(row["FN"])), row
        rates = [round(values[name], 3) for name in ("precision", "recall", "f1")]
        assert rates == [float(row[name]) for name in ("P", "R", "F1")], row


@pytest.mark.parametrize("convention", ["hipe@2020", "hipe@2022"])
def test_hipe_with_the_label_files_of_the_campaigns(data: Path, convention: str) -> None:
    """The rows of all labels: no run of this key has a label that only the file has."""
    folder = data / "entities" / "hipe2022-ajmc-fr"
    rows = [row for row in official(data) if "-micro-" in row["Evaluation"] and row["Label"] == "ALL"]
    assert len(rows) == 26
    for row in rows:
        column, _, rest = row["Evaluation"].partition("-micro-")
        options = {"columns": column, "match": "type" if rest.startswith("fuzzy") else "strict"}
        files = str(folder / "gold.tsv"), str(folder / f"{row['System']}.tsv")
        result = aune.score("entities", *files, measures=["f_measure"], convention=convention, **options)
        counts = result["f_measure"].counts
        assert counts["key_correct"] == int(row["TP"])
        assert counts["response"] - counts["response_correct"] == int(row["FP"])


def test_hipe_macro_over_documents(data: Path) -> None:
    """Rows of all labels averaged over documents: what is undefined in a document is left out of its mean."""
    folder = data / "entities" / "hipe2022-ajmc-fr"
    rows = [row for row in official(data) if "-macro_doc-" in row["Evaluation"] and row["Label"] == "ALL" and row["P"]]
    for row in rows:
        column, _, rest = row["Evaluation"].partition("-macro_doc-")
        scored = hipe(folder, row["System"], column, "type" if rest.startswith("fuzzy") else "strict")
        counts = scored.counts_by("document").values()
        precision = [count["response_correct"] / count["response"] for count in counts if count["response"]]
        recall = [count["key_correct"] / count["key"] for count in counts if count["key"]]
        assert round(float(np.mean(precision)), 3) == float(row["P"])
        assert round(float(np.mean(recall)), 3) == float(row["R"])


def test_hipe_optimal_finds_at_least_as_much(data: Path) -> None:
    folder = data / "entities" / "hipe2022-ajmc-fr"
    files = str(folder / "gold.tsv"), str(folder / "neurbsl_bundle3_ajmc_fr_1.tsv")
    ours = aune.score("entities", *files, measures=["f_measure"], match="type")["f_measure"]
    rival_f_measure = aune.score("entities", *files, measures=["f_measure"], match="type", convention="hipe")[
        "f_measure"
    ]
    assert (ours.counts["key_correct"], rival_f_measure.counts["key_correct"]) == (317, 312)
    assert not math.isclose(ours.f1, rival_f_measure.f1)


def test_hipe_columns_together(data: Path) -> None:
    gold = str(data / "entities" / "hipe2022-ajmc-fr" / "gold.tsv")
    f_measure = aune.score("entities", gold, gold, columns="NE-COARSE-LIT,NE-FINE-LIT", measures=["f_measure"])[
        "f_measure"
    ]
    assert (
        f_measure.f1 == 1.0 and f_measure.counts["key"] == 2 * 360 - 141
    )  # labels without sub-types are the same in both


def test_a_response_without_document_boundaries_is_cut_like_the_key(data: Path) -> None:
    folder = data / "entities" / "hipe2022-ajmc-fr"
    result = aune.score("entities", str(folder / "gold.tsv"), str(folder / "team2_bundle3_ajmc_fr_1.tsv"))
    assert any(
        "no document boundaries, cut after the lengths of the key's documents" in note for note in result.warnings
    )
    assert len(result["f_measure"].by("document")) > 1
