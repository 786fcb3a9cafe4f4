"""What is drawn by default: the clusters that the data marks, and never what lies below them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import aune
from aune.cli import run
from aune.contract.signature import Signature
from aune.results.result import Result, SystemScore
from aune.results.rows import make_rows
from aune.statistics.comparison import compare_systems
from aune.statistics.intervals import with_intervals
from aune.statistics.sampling_units import sampling_unit

WORDS = ["red", "green", "blue", "white", "black", "brown", "grey", "pink"]


def transcripts(documents: int, utterances: int, *, speakers: int = 0, seed: int = 1) -> list[dict[str, str]]:
    generator = np.random.default_rng(seed)
    records = []
    for place in range(documents * utterances):
        record = {"id": f"u{place:04d}", "text": " ".join(generator.choice(WORDS, 6))}
        if documents > 1:
            record["document"] = f"d{place // utterances}"
        if speakers:
            record["speaker"] = f"s{place // utterances % speakers}"
        records.append(record)
    return records


def damage_text(records: list[dict[str, str]], seed: int) -> list[dict[str, str]]:
    """The records with some words replaced, in some documents more than in others."""
    generator = np.random.default_rng(seed)
    rates: dict[str, float] = {}
    rows = []
    for record in records:
        rate = rates.setdefault(record.get("document", ""), generator.uniform(0.05, 0.4))
        words = [word if generator.random() > rate else "x" for word in record["text"].split()]
        rows.append({**record, "text": " ".join(words)})
    return rows


def evaluate_systems(records: list[dict[str, str]]) -> Result:
    systems = {"A": damage_text(records, 2), "B": damage_text(records, 3)}
    return aune.evaluate("speech", records, systems, measures=["wer"])


@pytest.mark.parametrize(
    ("arguments", "unit"),
    [
        ({"documents": 1, "utterances": 40}, "utterance"),  # no marks: no clusters
        ({"documents": 3, "utterances": 20}, "document"),
        ({"documents": 12, "utterances": 3, "speakers": 4}, "speaker"),  # a speaker has several documents
        ({"documents": 12, "utterances": 3, "speakers": 12}, "document"),
    ],
)
def test_the_default_is_the_coarsest_cluster_that_the_data_marks(arguments, unit):
    result = evaluate_systems(transcripts(**arguments))
    assert sampling_unit(result).name == unit
    assert compare_systems(result, draws=50).settings["unit"] == unit
    assert with_intervals(result, draws=50)["A", "wer"].signature.options["unit"] == unit


def test_speakers_of_the_same_name_in_other_recordings_are_no_clusters():
    records = [{**record, "speaker": f"{place % 2}"} for place, record in enumerate(transcripts(10, 4))]
    assert sampling_unit(evaluate_systems(records)).name == "document"


def test_speakers_without_documents_are_clusters_and_unknown_ones_are_not():
    records = [{**record, "speaker": f"s{place % 7}"} for place, record in enumerate(transcripts(1, 30))]
    assert sampling_unit(evaluate_systems(records)).name == "speaker"
    records[3]["speaker"] = "unknown"
    assert sampling_unit(evaluate_systems(records)).name == "utterance"


def test_a_smaller_unit_is_obeyed_and_marked():
    result = evaluate_systems(transcripts(4, 25))
    comparisons = compare_systems(result, draws=50, unit="utterance")
    assert (comparisons.settings["unit"], comparisons.settings["below"]) == ("utterance", "document")
    assert comparisons.settings["units"] == 100
    assert comparisons.warnings[0].startswith("100 utterances of 4 documents are drawn as if they were independent")
    intervals = with_intervals(result, draws=50, unit="utterance")
    assert intervals["A", "wer"].signature.options["below"] == "document"
    assert "drawn as if they were independent" in intervals.warnings[-1]
    without_marks = with_intervals(evaluate_systems(transcripts(1, 100)), draws=50, unit="utterance")
    assert "below" not in without_marks["A", "wer"].signature.options


@pytest.mark.parametrize("documents", [2, 3, 4])
@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "sign", "wilcoxon"])
def test_with_few_clusters_nothing_can_be_shown(documents, test):
    records = transcripts(documents, 25)
    result = aune.evaluate("speech", records, {"A": records, "B": damage_text(records, 3)}, measures=["wer"])
    comparisons = compare_systems(result, test, draws=500, level=0.5)
    assert comparisons.warnings[0].startswith(
        f"only {documents} documents: nothing can be shown with fewer than 5, and intervals are rough"
    )
    assert comparisons.settings["rough"] == "yes"
    assert all(len(order.groups) == 1 for order in comparisons.orders)
    assert all(pair.p is None or pair.p > 0.05 for pair in comparisons.pairs)
    options = with_intervals(result, draws=50)["B", "wer"].signature.options
    assert (options["ci"], options["rough"]) == ("effective", "yes")


def test_one_cluster_gives_no_interval_and_no_p():
    records = [{**record, "document": "meeting"} for record in transcripts(1, 25)]
    comparisons = compare_systems(evaluate_systems(records), draws=50)
    assert comparisons.pairs[0].p is None
    assert comparisons.warnings[0].startswith("one document only: nothing can be said")


def test_a_single_file_is_one_document_only_where_it_says_so(tmp_path, capsys):
    """A file that names no document has no clusters; one that names a single document has one."""
    sentences = "".join(f"w{place} {'BO'[place % 2]}{'-X' * (1 - place % 2)}\n\n" for place in range(40))
    for name, text in {"key": sentences, "named": f"# newdoc id = novel\n{sentences}"}.items():
        (tmp_path / f"{name}.conll").write_text(text)
    for name, unit in (("key", "sentence"), ("named", "document")):
        path = str(tmp_path / f"{name}.conll")
        assert run(["compare", "entities", path, path, f"B={path}", "--draws", "20", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["test"]["unit"] == unit


def clustered_pair(simulation, generator, documents: int, sentences: int) -> Result:
    """Two systems that are equally good on average, each better in some documents than in others."""
    names = [f"d{document:02d}" for document in range(documents) for _ in range(sentences)]
    units = {"document": names, "sentence": [f"{name}:{n}" for n, name in enumerate(names)]}
    scores = []
    for system in "AB":
        chances = np.repeat(1 / (1 + np.exp(-generator.normal(1.0, 0.7, documents))), sentences)
        part = generator.binomial(20, chances)
        rows = make_rows(units, [simulation.Share(part.astype(float), np.full(len(names), 20.0))])
        scores.append(SystemScore(system, simulation.MEAN, Signature("test.mean", {}, "0"), rows))
    return Result("test", scores)


def test_the_default_test_keeps_its_level_with_clusters(simulation):
    """Sentences of one document are alike: drawing them rejects a true null hypothesis most of the time."""
    generator = np.random.default_rng(28)
    campaigns, rejected = 200, {"auto": 0, "sentence": 0}
    for _ in range(campaigns):
        result = clustered_pair(simulation, generator, documents=8, sentences=25)
        for unit in rejected:
            [pair] = compare_systems(result, draws=199, unit=unit).pairs
            rejected[unit] += pair.p <= 0.05
    assert rejected["auto"] <= campaigns * 0.05 + 2 * np.sqrt(campaigns * 0.05 * 0.95)
    assert rejected["sentence"] > campaigns / 3


@pytest.mark.parametrize(("units", "least"), [(5, 0.89), (10, 0.91), (20, 0.92)])
def test_the_default_interval_covers_what_it_promises_with_few_units(simulation, units, least):
    """Percentiles of replicates cover 80 to 84 % with 5 units, 87 to 88 % with 10, and 91 to 92 % with 20."""
    campaigns = 1_000
    stack = simulation.samples(campaigns, units, seed=7)
    truth = simulation.samples(1, 200_000, seed=12).estimates[2]
    intervals = [score.intervals["f1"] for score in with_intervals(Result("test", list(stack.scores)))]
    coverage = np.mean([low <= truth <= high for low, high in intervals])
    assert least <= coverage <= 0.975
