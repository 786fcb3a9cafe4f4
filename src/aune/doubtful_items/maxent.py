"""A maximum-entropy classifier, trained on some parts of a key and applied to the others.

    P(c|x) = exp(Σ λ_i f_i(x, c)) / Z(x)

Features are strings. Every part of the data is judged by a model that has not seen it (cross-fitting), so that a model
cannot memorise an error. The parts are groups of neighbouring items: sentences or documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

FOLDS = 4
PENALTY = 1.0  # the loss includes half the squared norm of the weights, times this
STEPS = 20  # iterations of the optimiser
MIN_OCCURRENCES = 3  # rarer features are dropped


class Probabilities(NamedTuple):
    """The probability of each class for each item."""

    classes: list[str]
    matrix: Floats
    """The probabilities; its shape is (items, classes)."""


def cross_fit(features: Sequence[Sequence[str]], labels: Sequence[str], groups: Sequence[int]) -> Probabilities:
    """The class probabilities of each item, from models that were trained on other groups.

    With fewer than two classes or folds, nothing can be learned, and probabilities are the frequencies of classes.

    >>> told = cross_fit([["a"], ["b"]] * 20, ["x", "y"] * 20, [number // 4 for number in range(40)])
    >>> told.classes, bool(told.matrix[0, 0] > 0.8)
    (['x', 'y'], True)
    """
    classes = sorted(set(labels))
    targets = np.searchsorted(classes, labels)
    shares = np.bincount(targets, minlength=len(classes)) / max(len(targets), 1)
    probabilities = np.repeat(shares[None, :], len(labels), axis=0)
    fold = np.asarray(groups, np.int64) % FOLDS
    if len(classes) < 2 or len(set(fold.tolist())) < 2:
        return Probabilities(classes, probabilities)
    matrix = _feature_matrix(features)
    for number in sorted(set(fold.tolist())):
        held_out = fold == number
        weights = _train(matrix[~held_out], targets[~held_out], len(classes))
        probabilities[held_out] = _softmax(matrix[held_out] @ weights)
    return Probabilities(classes, probabilities)


def _feature_matrix(features: Sequence[Sequence[str]]) -> Any:
    """A row per item, a column per feature that is frequent enough, and a constant column."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415 - slow to import

    counts = Counter(feature for row in features for feature in row)
    known = sorted(feature for feature, count in counts.items() if count >= MIN_OCCURRENCES)
    number = {feature: column for column, feature in enumerate(known, 1)}
    rows = [[0, *(number[feature] for feature in row if feature in number)] for row in features]
    ends = np.cumsum([0, *map(len, rows)])
    columns = np.fromiter((column for row in rows for column in row), np.int64, int(ends[-1]))
    return csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(rows), len(known) + 1))


def _train(matrix: Any, targets: Any, classes: int) -> Floats:
    """The weights with the largest penalised likelihood; their shape is (features, classes)."""
    from scipy.optimize import minimize  # noqa: PLC0415

    width = matrix.shape[1]
    transposed = matrix.T.tocsr()
    rows = np.arange(len(targets))

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(width, classes)
        predicted = _softmax(matrix @ weights)
        likelihood = np.log(np.maximum(predicted[rows, targets], 1e-300)).sum()
        predicted[rows, targets] -= 1
        gradient = transposed @ predicted + PENALTY * weights
        return float(0.5 * PENALTY * (flat @ flat) - likelihood), np.asarray(gradient, float).ravel()

    start = np.zeros(width * classes)
    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    weights: Floats = optimum.x.reshape(width, classes)
    return weights


def _softmax(logits: Any) -> Floats:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


def word_features(words: Sequence[str], place: int) -> list[str]:
    """The features of a word: its form, its prefixes and suffixes, its neighbours."""
    word = words[place]
    low = word.lower()
    last = words[place - 1] if place else "^"
    after = words[place + 1] if place + 1 < len(words) else "$"
    return [
        f"w={low}", f"form={word}", f"s2={low[-2:]}", f"s3={low[-3:]}", f"s4={low[-4:]}", f"p2={low[:2]}",
        f"p3={low[:3]}", f"shape={shape(word)}", f"-1={last.lower()}", f"+1={after.lower()}",
        f"-1s={last[-3:].lower()}", f"+1s={after[-3:].lower()}", f"-1shape={shape(last)}", f"+1shape={shape(after)}",
        f"-2={words[place - 2].lower() if place > 1 else '^'}",
        f"+2={words[place + 2].lower() if place + 2 < len(words) else '$'}",
        f"-1w={last.lower()} {low}", f"w+1={low} {after.lower()}",
    ]  # fmt: skip


def shape(word: str) -> str:
    """The kinds of characters in a word: capitals, small letters, digits, other signs.

    >>> shape("McDonald's"), shape("2020")
    ('XxXx.x', '0')
    """
    kinds = ["X" if sign.isupper() else "x" if sign.isalpha() else "0" if sign.isdigit() else "." for sign in word]
    return "".join(kind for place, kind in enumerate(kinds) if not place or kinds[place - 1] != kind)
