"""The thesis's central experiment on public data: which measure foretells what an entity recogniser loses?

44 earnings calls, 7 speech recognisers (Earnings-21, CC BY-SA 4.0). The models of ATENE and a CRF that finds entities
are trained on some calls; on each of the others the systems are ordered by each measure and by what the recogniser
loses, and the two orders compared (Spearman, Kendall), as in §5.6.3. Mean over calls.

    python benchmarks/earnings21.py [--folds] [--pos] [--all-systems]

Needs scikit-learn, python-crfsuite, and the data (`AUNE_DATA`, or ../shared/data beside the repository).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import kendalltau, spearmanr

from aune import evaluate
from aune.tasks.speech.atene.error_weights import learn as learn_weights
from aune.tasks.speech.atene.error_weights import save as save_weights
from aune.tasks.speech.atene.maxent import save, train
from aune.tasks.speech.comparison import compare, normalise_utterance
from aune.tasks.speech.downstream import projected_reference, recognised_entities
from aune.tasks.speech.model import Entity, Utterance, outermost_entities
from aune.tasks.speech.text.normalisation import Normaliser

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("AUNE_DATA", ROOT.parent / "shared" / "data")) / "speech" / "earnings21"
NORMALISE = "en"
CLASSES = {
    "PERSON": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC", "NORP": "NORP", "PRODUCT": "PROD",
    "EVENT": "EVENT",
}  # fmt: skip
Values = dict[str, dict[str, dict[str, float]]]  # by measure, system and call
OUTLIER = "kaldi_librispeech"  # three times the error rate of the others
FEATURES = {"words": ("words",), "words+affixes": ("words", "affixes")}


def utterances() -> tuple[dict[str, Utterance], dict[str, dict[str, Utterance]], dict[str, bool]]:
    """The keys by name, the responses of every system, and which calls are for testing."""
    keys: dict[str, Utterance] = {}
    systems: dict[str, dict[str, Utterance]] = {}
    tested = {}
    with gzip.open(DATA / "segments.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            segment = json.loads(line)
            name = f"{segment['doc']}-{segment['seg']:05d}"
            tested[segment["doc"]] = segment["eval10"]
            entities = tuple(
                Entity(entity["start"], entity["end"], CLASSES[entity["type"]])
                for entity in segment["entities"]
                if entity["type"] in CLASSES
            )
            keys[name] = Utterance(
                name, segment["ref"], {"document": segment["doc"]}, tuple(outermost_entities(entities))
            )
            for system, words in segment["hyps"].items():
                systems.setdefault(system, {})[name] = Utterance(name, words)
    return keys, systems, tested


def crf_features(words: Sequence[str]) -> list[list[str]]:
    low = ["<s>", "<s>", *words, "</s>", "</s>"]
    features = []
    for place in range(2, len(low) - 2):
        word = low[place]
        near = [f"{offset}={low[place + offset]}" for offset in range(-2, 3)]
        near += [f"{offset}+={low[place + offset]}|{low[place + offset + 1]}" for offset in (-1, 0)]
        features.append([*near, f"p3={word[:3]}", f"s3={word[-3:]}", f"s2={word[-2:]}", f"long={len(word) > 4}"])
    return features


def tags(utterance: Utterance) -> list[str]:
    labels = ["O"] * len(utterance.words)
    for start, end, label in outermost_entities(utterance.entities):
        labels[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return labels


def spans(labels: Sequence[str]) -> list[Entity]:
    entities: list[Entity] = []
    for place, tag in enumerate(labels):
        kind, _, label = tag.partition("-")
        if kind == "I" and entities and entities[-1].end == place and entities[-1].label == label:
            entities[-1] = entities[-1]._replace(end=place + 1)
        elif kind in ("B", "I"):
            entities.append(Entity(place, place + 1, label))
    return entities


class Recogniser:
    """A linear-chain CRF over the words and their neighbours, on text in small letters."""

    def __init__(self, corpus: Sequence[Utterance], path: Path) -> None:
        import pycrfsuite

        trainer = pycrfsuite.Trainer(verbose=False)
        for utterance in corpus:
            if utterance.words:
                trainer.append(crf_features(utterance.words), tags(utterance))
        trainer.set_params({"c1": 0.1, "c2": 0.01, "max_iterations": 80, "feature.minfreq": 2})
        trainer.train(str(path))
        self.tagger = pycrfsuite.Tagger()
        self.tagger.open(str(path))

    def __call__(self, words: Sequence[str]) -> list[Entity]:
        return spans(self.tagger.tag(crf_features(words))) if words else []


class EntityErrors(NamedTuple):
    """How many entities were right, wrong in type or extent, missed, and made up: the counts of SER."""

    correct: float
    substitutions: float
    deletions: float
    insertions: float

    @property
    def expected(self) -> float:
        return self.correct + self.substitutions + self.deletions

    @property
    def slot_error_rate(self) -> float:
        return (self.substitutions / 2 + self.deletions + self.insertions) / self.expected

    @property
    def f1(self) -> float:
        return 2 * self.correct / (self.expected + self.correct + self.substitutions + self.insertions)


def total(errors: Sequence[EntityErrors]) -> EntityErrors:
    return EntityErrors(*(sum(column) for column in zip(*errors, strict=True)))


def pae(manual: EntityErrors, automatic: EntityErrors) -> dict[str, float | None]:
    """Eq. 5.2, by kind of error."""
    kinds = ("substitutions", "deletions", "insertions")
    before, after = ({kind: getattr(errors, kind) for kind in kinds} for errors in (manual, automatic))
    return {kind: 100 * (after[kind] - before[kind]) / before[kind] if before[kind] else None for kind in kinds}


def recogniser_errors(keys: Sequence[Utterance], responses: Sequence[Utterance]) -> dict[str, EntityErrors]:
    """The errors of the entities found in responses against the key's entities projected on them, by call."""
    comparison = compare(list(zip(keys, responses, strict=True)))
    scored = evaluate(
        "entities", projected_reference(comparison), {"crf": recognised_entities(comparison)}, measures=["ser"]
    )
    by_call = {}
    for call, counts in scored["crf", "ser"].counts_by("document").items():
        wrong = sum(counts[kind] for kind in ("type", "subtype", "boundary", "type_boundary", "subtype_boundary"))
        by_call[call] = EntityErrors(counts["correct"], wrong, counts["omission"], counts["insertion"])
    return by_call


def losses(
    keys: Mapping[str, Utterance], responses: Mapping[str, Utterance], recogniser: Recogniser
) -> tuple[dict[str, EntityErrors], dict[str, EntityErrors]]:
    """The recogniser's errors on the manual and on the automatic transcript, by call."""
    comparison = compare([(keys[name], responses[name]) for name in keys], normalise=NORMALISE)
    reference = [key for key, _ in comparison.pairs]
    manual = [key._replace(entities=tuple(recogniser(key.words))) for key in reference]
    heard = [response._replace(entities=tuple(recogniser(response.words))) for _, response in comparison.pairs]
    return recogniser_errors(reference, manual), recogniser_errors(reference, heard)


def measure_work(keys: Any, systems: Mapping[str, Any], models: Mapping[str, str], weights: str) -> Values:
    """For each measure and system its value on every call, such that lower is better."""
    values: Values = {}
    plain = ["wer", "ne_wer", "wil", "word_prf", "cer", "severity"]
    result = evaluate("speech", keys, systems, measures=plain, normalise=NORMALISE, weights=weights)
    for score in result:
        sign = -1 if score.measure.better == "higher" else 1
        name = score.name.removeprefix("speech.").replace("word_prf", "word F")
        rows = score.by("document")
        values.setdefault(name, {})[score.system] = {
            document: sign * (row[score.measure.headline] or 0.0) for document, row in rows.items()
        }
    for features, path in models.items():
        measures = ["atene", "atene(combine=ne_wer)", "atene(combine=recall)", "atene_ds", "atene_i",
                 "atene(stretches=utterance)", "atene_i(stretches=utterance)"]  # fmt: skip
        for score in evaluate("speech", keys, systems, measures=measures, normalise=NORMALISE, model=path):
            sign = -1 if score.measure.better == "higher" else 1
            name = f"{score.name.removeprefix('speech.')} {features}"
            rows = score.by("document")
            values.setdefault(name, {})[score.system] = {
                document: sign * (row[score.measure.headline] or 0.0) for document, row in rows.items()
            }
    return values


def correlations(values: Mapping[str, Any], goal: Mapping[str, Any]) -> tuple[float, float]:
    """The mean over calls of the rank correlations of systems ordered by a measure and by the recogniser's loss."""
    systems = list(goal)
    coefficients = []
    for document in next(iter(goal.values())):
        x = [values[system][document] for system in systems]
        y = [goal[system][document] for system in systems]
        if len(set(x)) > 1 and len(set(y)) > 1:
            coefficients.append((spearmanr(x, y).statistic, kendalltau(x, y).statistic))
    rho, tau = np.mean(coefficients, axis=0)
    return float(rho), float(tau)


def fold(
    keys: Mapping[str, Utterance], systems: Mapping[str, Mapping[str, Utterance]], test: set[str],
    features: Mapping[str, Sequence[str]], folder: Path,
) -> tuple[Any, Any]:  # fmt: skip
    """The measures and the recogniser's errors on the test calls, with everything learnt from the others."""
    steps = Normaliser(NORMALISE)
    learnt = [
        normalise_utterance(utterance, steps)
        for utterance in keys.values()
        if utterance.attributes["document"] not in test
    ]
    models = {}
    for name, chosen in features.items():
        start = time.perf_counter()
        models[name] = str(folder / f"{name}.npz")
        save(train(learnt, chosen, normalise=NORMALISE), models[name])
        print(f"  ATENE {name}: trained in {time.perf_counter() - start:.0f} s", flush=True)
    start = time.perf_counter()
    recogniser = Recogniser(learnt, folder / "crf")
    print(f"  recogniser: trained in {time.perf_counter() - start:.0f} s", flush=True)
    start = time.perf_counter()
    weights = str(folder / "severity.json")
    sample = [utterance for utterance in keys.values() if utterance.attributes["document"] not in test][::3]
    pairs = {
        system: [(utterance, responses_by_name[utterance.id]) for utterance in sample]
        for system, responses_by_name in systems.items()
    }
    best = models[list(features)[-1]]
    save_weights(
        learn_weights([compare(responses_by_name, normalise=NORMALISE) for responses_by_name in pairs.values()], best),
        weights,
    )
    print(f"  severity: learnt in {time.perf_counter() - start:.0f} s", flush=True)
    tested = {name: utterance for name, utterance in keys.items() if utterance.attributes["document"] in test}
    errors = {system: losses(tested, responses_by_name, recogniser) for system, responses_by_name in systems.items()}
    start = time.perf_counter()
    responses = {system: [responses_by_name[name] for name in tested] for system, responses_by_name in systems.items()}
    values = measure_work(list(tested.values()), responses, models, weights)
    print(f"  measures: {time.perf_counter() - start:.0f} s for {len(systems)} systems", flush=True)
    return values, errors


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folds", action="store_true", help="every call is tested once, in four folds")
    parser.add_argument("--pos", action="store_true", help="also ATENE with parts of speech (needs gruut)")
    parser.add_argument("--all-systems", action="store_true", help=f"with {OUTLIER}, whose errors are of another order")
    settings = parser.parse_args(arguments)
    keys, systems, tested = utterances()
    if not settings.all_systems:
        systems.pop(OUTLIER)
    features = dict(FEATURES) | ({"words+pos": ("words", "pos")} if settings.pos else {})
    calls = sorted(tested)
    held_out = {call for call in calls if tested[call]}
    tests = [set(calls[number::4]) for number in range(4)] if settings.folds else [held_out]
    values: Values = {}
    errors: dict[str, tuple[dict[str, EntityErrors], dict[str, EntityErrors]]] = {}
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            print(f"test on {len(test)} calls, train on {len(calls) - len(test)}", flush=True)
            more, losses_by_system = fold(keys, systems, test, features, Path(folder))
        for name, by_system in more.items():
            for system, system_rows in by_system.items():
                values.setdefault(name, {}).setdefault(system, {}).update(system_rows)
        for system, (manual, automatic) in losses_by_system.items():
            totals = errors.setdefault(system, ({}, {}))
            totals[0].update(manual)
            totals[1].update(automatic)
    report(values, errors)


def report(values: Any, errors: Any) -> None:
    print("\nThe recogniser on each transcript, and the growth of its errors (PAE, eq. 5.2)")
    print(f"{'system':16} {'WER':>6} {'NE-WER':>7} {'F':>6} {'SER':>6} {'PAE S':>7} {'PAE D':>7} {'PAE I':>7}")
    for system, (manual, automatic) in errors.items():
        before, after = total(list(manual.values())), total(list(automatic.values()))
        growth = pae(before, after)
        mean = [np.mean(list(values[name][system].values())) for name in ("wer", "ne_wer")]
        rates = f"{100 * mean[0]:6.2f} {100 * mean[1]:7.2f} {100 * after.f1:6.2f} {100 * after.slot_error_rate:6.2f}"
        print(f"{system:16} {rates} " + " ".join(f"{growth[kind] or 0:7.1f}" for kind in growth))
    print(f"{'manual':16} {'':6} {'':7} {100 * before.f1:6.2f} {100 * before.slot_error_rate:6.2f}")
    goals = {
        "loss of F": lambda m, a: (m.f1 or 0.0) - (a.f1 or 0.0),
        "slot error rate": lambda m, a: a.slot_error_rate,
        "deletions and substitutions": lambda m, a: (a.deletions + a.substitutions) / a.expected,
        "insertions": lambda m, a: a.insertions / a.expected,
    }
    print("\nMean correlation over calls with what the recogniser loses: Spearman (Kendall)")
    print("\n".join([" | ".join(["| measure", *goals]) + " |", "|---" * (len(goals) + 1) + "|"]))
    for name, by_system in values.items():
        cells = []
        for loss in goals.values():
            goal = {
                system: {document: loss(manual[document], automatic[document]) for document in manual}
                for system, (manual, automatic) in errors.items()
            }
            rho, tau = correlations(by_system, goal)
            cells.append(f"{rho:.2f} ({tau:.2f})".replace("-", "−"))
        print(" | ".join([f"| `{name}`", *cells]) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
