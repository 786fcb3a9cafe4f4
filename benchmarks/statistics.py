"""Statistics: resampling ten systems under twenty measures, comparing them, and auditing a measure.

- 10,000 bootstrap replicates of 20 measures × 10 systems × 1,000 documents: at most 5 s and 1 GB on two cores;
- every pair of ten systems compared by 10,000 exchanges of documents, on the same;
- the same intervals one by one with scipy.stats.bootstrap, for one measure of one system;
- the audit of one measure over all 203² pairs of partitions of six mentions: at most 10 s.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from aune.contract import registry
from aune.evaluation.pipeline import evaluate
from aune.meta import audit
from aune.results.result import Result, SystemScore
from aune.statistics.comparison import compare_systems
from aune.statistics.intervals import Method, with_intervals
from benchmarks.harness import best_time, table

DOCUMENTS, SYSTEMS, MEASURES = 1_000, 10, 20


def campaign() -> Result:
    """Every measure of coreference on generated documents, and one more to make them twenty."""
    generator = np.random.default_rng(0)
    key, systems = {}, {f"s{number}": {} for number in range(SYSTEMS)}
    for document in range(DOCUMENTS):
        chains = generator.integers(0, 8, 30)
        key[f"d{document:04d}"] = clusters(chains)
        for number, responses in enumerate(systems.values()):
            moved = np.where(generator.random(30) < 0.05 * (number + 1), generator.integers(0, 8, 30), chains)
            responses[f"d{document:04d}"] = clusters(moved)
    names = [measure.name for measure in registry.measures("coref")]
    names += ["mean(muc.f1, core.f1)", "macro(muc, by=document)"]
    return evaluate("coref", key, systems, measures=names[:MEASURES])


def clusters(chains: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(chains == chain).tolist() for chain in np.unique(chains)]


def one_by_one(score: SystemScore) -> str:
    """scipy's bootstrap of one F over documents."""
    correct, key, response = score.rows.matrix.T

    def f1(correct: np.ndarray, key: np.ndarray, response: np.ndarray, axis: int = -1) -> np.ndarray:
        return 2 * correct.sum(axis=axis) / (key.sum(axis=axis) + response.sum(axis=axis))

    interval = stats.bootstrap((correct, key, response), f1, paired=True, vectorized=True, n_resamples=10_000,
                               batch=1_000, method="percentile", rng=np.random.default_rng(1))  # fmt: skip
    return f"[{interval.confidence_interval.low:.4f}, {interval.confidence_interval.high:.4f}]"


def intervals(result: Result, method: Method) -> str:
    return f"{len(with_intervals(result, method, draws=10_000))} scores"


def main() -> None:
    result = campaign()
    values = sum(len(score.values) for score in result)
    print(
        f"intervals, 10,000 replicates of {len(result.measures)} measures × {SYSTEMS} systems × {DOCUMENTS} documents:"
    )
    runs = [
        best_time("aune, percentile", lambda: intervals(result, "percentile"), 1),
        best_time("aune, BCa", lambda: intervals(result, "bca"), 1),
        best_time("scipy, percentile, one value only", lambda: one_by_one(result["s0", "muc"]), 1),
    ]
    table(runs)
    longer = values * runs[-1].seconds / runs[0].seconds
    print(f"one by one, scipy would need {longer:.0f} times as long for {values} values")
    print("45 pairs of systems, 10,000 exchanges of documents and as many replicates, the same measures:")
    table([best_time("aune", lambda: f"{len(compare_systems(result).pairs)} comparisons", 1)])
    print("the audit of one measure over all pairs of partitions of up to six mentions (203² for six):")
    muc = [registry.measure("coref.muc")]
    table([best_time("aune", lambda: f"{len(audit.audit(muc, convention='partition'))} findings", 1)])


if __name__ == "__main__":
    main()
