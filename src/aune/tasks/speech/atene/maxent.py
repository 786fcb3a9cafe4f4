"""Three maximum-entropy models: does an entity of a type begin at a word, end at it, or include it?

    P(c|x) = exp(Σ λ_i f_i(x, c)) / Z(x)

Each is a multinomial logistic regression over sparse features, trained with scikit-learn (the extra `atene`). Models
are saved as plain arrays (npz), without code, and scoring needs numpy only.

Source: the thesis of Ben Jannet 2015, eqs. 5.3 and 5.4, §5.5.3 and §5.6.2.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.compression import check_ratio
from aune.contract.options import cache_while_unchanged
from aune.errors import InputError, Problem, UsageError
from aune.files import parse_json, read_bytes, write_atomically
from aune.numeric.arrays import Ints
from aune.tasks.speech.atene.features import (
    FEATURES,
    Lexica,
    Lexicon,
    Template,
    feature_columns,
    feature_keys,
    learn,
    templates,
)
from aune.tasks.speech.model import (
    ALL_ENTITIES,
    EntitySelection,
    Utterance,
    outermost_entities,
    select_entities,
)
from aune.typologies.typology import typology

ModelName: TypeAlias = Literal["begin", "end", "inside"]
MODELS: tuple[ModelName, ...] = ("begin", "end", "inside")
OUTSIDE = 0  # the class of words outside entities
FORMAT = "aune-atene-1"
READ_ERRORS = (
    KeyError, ValueError, TypeError, AttributeError, EOFError, RuntimeError, MemoryError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip
MIN_OCCURRENCES = 2  # features that occur less often are dropped


@dataclass(frozen=True)
class Model:
    """Trained models: the weights of features by class, for each of the three questions."""

    features: tuple[str, ...]
    labels: tuple[str, ...]
    """The types of entities; class 0 is outside, class i + 1 is the i-th type."""
    lexica: Lexica
    known: Ints
    """The numbers of the features that have weights, sorted."""
    weights: Mapping[str, NDArray[np.float32]]
    """By model: (features + 1, classes); the last row, all 0, is for features without weights."""
    bias: Mapping[str, NDArray[np.float32]]
    normalise: str = "none"
    """The normalisation of the training text; texts to score must have the same."""
    language: str = "en"
    selection: EntitySelection | None = None
    """The entities of the training: typology, labels and depth; None if the model does not state them."""

    @cached_property
    def templates(self) -> list[Template]:
        return templates(self.features)

    @cached_property
    def classes(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.labels, 1)}

    def indices(self, texts: Sequence[Sequence[str]]) -> Ints:
        """(words, templates): the row of weights for every feature of every word."""
        table, places = feature_columns(texts, self.lexica, self.features, tagger_of(self.features, self.language))
        matrix = feature_keys(table, places, self.templates)
        rows = np.searchsorted(self.known, matrix)
        rows[rows == len(self.known)] = 0
        missing = self.known[rows] != matrix if len(self.known) else np.ones(matrix.shape, bool)
        rows[missing] = len(self.known)
        return rows

    def probabilities(self, which: ModelName, rows: Ints) -> NDArray[np.float64]:
        """(words, classes): the probability of each class."""
        logits = np.repeat(self.bias[which][None, :].astype(float), len(rows), axis=0)
        for column in rows.T:
            logits += self.weights[which][column]
        logits -= logits.max(axis=1, keepdims=True)
        powers = np.exp(logits)
        result: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
        return result

    def reasons(self, which: ModelName, rows: Ints, label: int) -> list[tuple[str, float]]:
        """The features of one word with their contributions to a class over the best other one, in decreasing order."""
        weights = self.weights[which][rows].astype(float)
        others = np.delete(weights.sum(axis=0) + self.bias[which], label)
        rival = int(np.delete(np.arange(weights.shape[1]), label)[int(np.argmax(others))])
        gains = weights[:, label] - weights[:, rival]
        reasons = [(template.name, float(gain)) for template, gain in zip(self.templates, gains, strict=True) if gain]
        return sorted(reasons, key=lambda pair: (-abs(pair[1]), pair[0]))


def tagger_of(features: Sequence[str], language: str) -> Callable[[Sequence[str]], list[str]] | None:
    if "pos" not in features:
        return None
    from aune.tasks.speech.text.phonemes import tagger  # noqa: PLC0415 - gruut is optional

    return tagger(language)


def refuse_without_sklearn() -> None:
    if find_spec("sklearn") is None:
        raise UsageError("training ATENE needs the package scikit-learn: install it with pip install 'aune[atene]'")


def train(
    corpus: Sequence[Utterance],
    features: Sequence[str] = ("words",),
    *,
    normalise: str = "none",
    language: str = "en",
    strength: float = 1.0,
    rounds: int = 100,
    selection: EntitySelection = ALL_ENTITIES,
    tell: Callable[[str, float], None] = lambda what, share: None,
) -> Model:
    """Train the three models on an annotated corpus, whose words have already been normalised by `normalise`.

    Only entities of the selection count, each with its outermost label.
    """
    refuse_without_sklearn()
    selected = templates(features)
    components = typology(selection.typology).components
    corpus = [
        item._replace(entities=select_entities(item.entities, components, selection.labels, selection.depth))
        for item in corpus
    ]
    corpus = sorted(corpus, key=lambda item: (list(item.words), sorted(item.entities)))  # for reproducible sums
    texts = [list(item.words) for item in corpus]
    tag = tagger_of(features, language)
    lexica = Lexica(Lexicon(), Lexicon(), Lexicon())
    tags = sorted({item for words in texts for item in tag(words)}) if tag else ()
    learn(lexica, texts, tags)
    matrix = feature_keys(*feature_columns(texts, lexica, features, tag), selected)
    known, rows = _frequent_features(matrix)
    labels = sorted({entity.label for item in corpus for entity in outermost_entities(item.entities)})
    if not labels:
        chosen = " that --typology, --labels and --depth select" if selection != ALL_ENTITIES else ""
        raise UsageError(f"the training corpus has no entity{chosen}: nothing to learn")
    weights: dict[str, NDArray[np.float32]] = {}
    bias: dict[str, NDArray[np.float32]] = {}
    for number, which in enumerate(MODELS):
        tell(f"training {which}", number / len(MODELS))
        answers = word_classes(corpus, labels, which)
        weights[which], bias[which] = _fit_weights(rows, len(known), answers, len(labels) + 1, strength, rounds)
    return _prune_weights(
        Model(tuple(features), tuple(labels), lexica, known, weights, bias, normalise, language, selection)
    )


def _frequent_features(matrix: Ints) -> tuple[Ints, Ints]:
    """The features that occur often enough, and the matrix in their numbers (their count marks all others)."""
    numbers, inverse, counts = np.unique(matrix, return_inverse=True, return_counts=True)
    good = (counts >= MIN_OCCURRENCES) & (numbers >= 0)
    renumbered = np.where(good, np.cumsum(good) - 1, good.sum())
    return numbers[good], renumbered[inverse].reshape(matrix.shape)


def word_classes(corpus: Sequence[Utterance], labels: Sequence[str], which: ModelName) -> Ints:
    """The class of every word for one model: the type of the entity that begins or ends there or includes it."""
    numbers = {label: number for number, label in enumerate(labels, 1)}
    codes = np.zeros(sum(len(utterance.words) for utterance in corpus), np.int64)
    first = 0
    for utterance in corpus:
        for start, end, label in outermost_entities(utterance.entities):
            last = start + 1 if which == "begin" else end
            codes[first + (end - 1 if which == "end" else start) : first + last] = numbers[label]
        first += len(utterance.words)
    return codes


def _fit_weights(
    rows: Ints, features: int, answers: Ints, size: int, strength: float, rounds: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    import warnings  # noqa: PLC0415

    from scipy import sparse  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped] # noqa: PLC0415

    real = rows < features
    starts = np.concatenate([[0], np.cumsum(real.sum(axis=1))])
    data = sparse.csr_matrix((np.ones(int(real.sum()), np.float64), rows[real], starts), shape=(len(rows), features))
    weights, bias = np.zeros((features + 1, size), np.float32), np.full(size, -30.0, np.float32)
    present = np.unique(answers)
    if len(present) == 1:
        bias[present] = 0.0
        return weights, bias
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # incomplete convergence is acceptable here
        fitted = LogisticRegression(C=strength, max_iter=rounds, tol=1e-3).fit(data, answers)
    learnt, offset = fitted.coef_, fitted.intercept_
    if len(present) == 2:  # scikit-learn returns one row for two classes
        learnt, offset = np.vstack([-learnt / 2, learnt / 2]), np.array([-offset[0] / 2, offset[0] / 2])
    weights[:features, present] = learnt.T
    bias[present] = offset
    return weights, bias


def _prune_weights(model: Model, least: float = 1e-4) -> Model:
    """The model without features of negligible weight."""
    informative = np.max([np.abs(model.weights[which]).max(axis=1) for which in MODELS], axis=0) > least
    rows = np.append(np.flatnonzero(informative[:-1]), len(model.known))
    weights: dict[str, NDArray[np.float32]] = {which: model.weights[which][rows] for which in MODELS}
    return Model(
        model.features, model.labels, model.lexica, model.known[rows[:-1]], weights, model.bias, model.normalise,
        model.language, model.selection,
    )  # fmt: skip


def save(model: Model, path: str | Path) -> None:
    """Write a model as an npz file."""
    about = {
        "format": FORMAT, "features": model.features, "labels": model.labels, "normalise": model.normalise,
        "language": model.language,
        "selection": model.selection._asdict() if model.selection else None,
    }  # fmt: skip
    arrays: dict[str, Any] = {"about": _bytes(json.dumps(about)), "known": model.known}
    arrays |= {
        f"lexicon_{name}": _bytes("\n".join(lexicon.numbers)) for name, lexicon in model.lexica._asdict().items()
    }
    for which in MODELS:
        arrays[f"weights_{which}"] = model.weights[which].astype(np.float16 if len(model.known) > 10**6 else np.float32)
        arrays[f"bias_{which}"] = model.bias[which]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    write_atomically(Path(path), buffer.getvalue())


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)


@cache_while_unchanged
def load(path: str) -> Model:
    """Read the model in a file that `save` wrote."""
    try:
        data = read_bytes(path)
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            check_ratio(len(data), sum(member.file_size for member in arrays.zip.infolist()), path)
            about = parse_json(arrays["about"].tobytes())
            if about.get("format") != FORMAT:
                raise ValueError(f"format {about.get('format')!r}")
            lexica = Lexica(*(_lexicon(arrays[f"lexicon_{name}"]) for name in Lexica._fields))
            model = Model(
                tuple(about["features"]), tuple(about["labels"]), lexica, arrays["known"],
                {which: arrays[f"weights_{which}"].astype(np.float32, casting="same_kind") for which in MODELS},
                {which: arrays[f"bias_{which}"] for which in MODELS}, about["normalise"], about["language"],
                _selection(about.get("selection")),
            )  # fmt: skip
            _check_fit(model)
            return model
    except OSError as error:
        if not Path(path).is_file():
            actual, remedies = f"no readable model ({error})", ["train it with `aune speech train atene`"]
            problem = Problem.in_file(
                "file.unreadable", path, found=actual, expected="the path of one", remedies=remedies
            )
            raise InputError([problem]) from None
        reason: Exception = error
    except READ_ERRORS as error:
        reason = error
    expected, remedies = "a file that `aune speech train atene` wrote", ["train it again"]
    actual = f"no ATENE model ({reason})"
    problem = Problem.in_file("model.unreadable", path, found=actual, expected=expected, remedies=remedies)
    raise InputError([problem]) from None


def _check_fit(model: Model) -> None:
    """Refuse inconsistent parts, which would fail somewhere inside scoring."""
    texts = (*model.features, *model.labels, model.normalise, model.language)
    if not model.labels or not all(isinstance(text, str) for text in texts) or not {*model.features} <= {*FEATURES}:
        raise ValueError("features, labels or languages that are none")
    if model.known.ndim != 1 or model.known.dtype.kind not in "iu" or (np.diff(model.known) <= 0).any():
        raise ValueError("features that are not numbered in order")
    classes = len(model.labels) + 1
    shapes = {"weights": (len(model.known) + 1, classes), "bias": (classes,)}
    for part, which in product(shapes, MODELS):
        array = getattr(model, part)[which]
        if array.shape != shapes[part] or array.dtype.kind != "f" or not np.isfinite(array).all():
            raise ValueError(f"{part} of {array.shape}, not {shapes[part]}, or no numbers")


def _selection(record: Any) -> EntitySelection | None:
    if record is None:
        return None
    selection = EntitySelection(record["typology"], tuple(record["labels"]), record["depth"])
    if not all(isinstance(text, str) for text in (selection.typology, *selection.labels)):
        raise ValueError("a selection of entities that is none")
    if type(selection.depth) is not int:
        raise ValueError("a depth that is none")
    return selection


def _lexicon(data: NDArray[np.uint8]) -> Lexicon:
    text = data.tobytes().decode()
    return Lexicon(text.split("\n") if text else ())
