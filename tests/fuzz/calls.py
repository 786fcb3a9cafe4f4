"""Calls of the public functions with nonsense: each is refused in our own words, or gives a number that makes sense.

A call that is right is damaged at one or two places: a value deep inside a key, a whole argument, an option, a name.
What is accepted must be printable, hold only numbers that its measure can have, and a key that is accepted must be a
perfect response to itself.
"""

from __future__ import annotations

import io
import json
import math
import os
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import aune
from aune.contract import registry
from aune.contract.measure import Measure
from aune.contract.options import options_of
from aune.errors import AuneError, AuneWarning
from aune.results.result import Result

Call = Callable[[random.Random], Any]

TEXTS = ["the cat sat", "on the mat"]
SPANS = [(0, 2, "PER"), (4, 5, "LOC"), (1, 2, "ORG")]
SHAPES: dict[str, list[Any]] = {
    "anaphora": [
        {"he": "Ann", "Ann": None},
        {"he": "Ann", "it": None, "she": ["Ann", "Eve"]}, [("he", "Ann"), ("it", "cat")],
        {"a": {(5, 6): (0, 2), (8, 9): [(0, 2), (3, 4)]}, "b": {"he": "Ann"}},
        [{"anaphor": "he", "antecedent": "Ann", "doc": "a"}, {"anaphor": "it", "antecedent": None, "doc": "b"}],
        {"anaphors": {"he": "Ann", "him": "he"}, "chains": [["Ann", "he", "him"], ["Eve"]]},
    ],
    "coref": [
        [{1, 2, 3}, {4, 5}], [[(0, 2), (5, 6)], [(3, 4)]], {"a": [[(0, 2), (5, 6)]], "b": [["x", "y"], ["z"]]},
        [{"clusters": [[[0, 1], [4, 5]]], "doc_key": "a", "sentences": [["Ann", "sat"], ["and", "ate", "her", "pie"]]}],
        [{"start": 0, "end": 2, "chain": 1}, {"start": 4, "end": 5, "chain": 1}, {"start": 6, "end": 9, "chain": 2}],
        [[((0, 1), (3, 4)), (6, 7)]],
    ],
    "entities": [
        SPANS, {"a": SPANS, "b": []}, [["B-PER", "I-PER", "O"], ["B-LOC"]], ["B-PER", "I-PER", "O", "B-LOC"],
        {"a": [("Ann", "B-PER"), ("sat", "O")], "b": [("Oslo", "B-LOC"), ("ate", "O"), ("pie", "O")]},
        [{"text": "Ann sat in Oslo", "spans": [{"start": 0, "end": 3, "label": "PER"}], "id": "a"}],
        [{"tokens": ["Ann", "sat", "down"], "ner_tags": ["B-PER", "O", "O"]}],
        [{"start": 0, "end": 3, "label": "PER", "doc": "a"}, {"start": 2, "end": 5, "label": "LOC", "doc": "b"}],
        [{"word": "Ann", "tag": "B-PER", "sentence": 1}, {"word": "sat", "tag": "O", "sentence": 2}],
    ],
    "speech": [
        TEXTS, [text.split() for text in TEXTS], dict(zip("ab", TEXTS, strict=True)),
        [{"id": "a", "text": "the cat", "start": 0.0, "end": 1.5, "speaker": "A"}, {"id": "b", "words": ["sat"]}],
        {"a": {"text": "the cat", "document": "d", "begin": 0, "end": 2, "channel": "1"}, "b": "sat"},
    ],
    "tagging": [
        [("le", "D"), ("chat", "N")], [["D", "N", "V"], ["V"]], {"a": [("le", "D"), ("chat", ["N", "V"])], "b": ["D"]},
        [{"words": ["le", "chat"], "tags": ["D", "N"], "lemma": ["le", "chat"], "id": "a"}],
        [{"form": "le", "upos": "DET", "head": 2, "deprel": "det"}, {"form": "chat", "upos": "NOUN", "head": 0}],
        [("dort", None), ("il", ["P", "D"])],
    ],
}  # fmt: skip
"""What people hold in Python, as the tasks take it."""


class Odd:
    """Something of another package."""


def endless(depth: int = 2000) -> Any:
    """A list in a list in a list…"""
    result: Any = []
    for _ in range(depth):
        result = [result]
    return result


def cyclic() -> Any:
    result: list[Any] = []
    result.append(result)
    return result


NONSENSE: list[Callable[[], Any]] = [
    *(partial(lambda value: value, value) for value in (
        None, True, False, 0, 1, -1, 7, 2**31, -(2**63), 10**30, 0.0, -0.5, 1.5, math.nan, math.inf, -math.inf, 1e308,
        "", " ", "x", "O", "B-PER", "I-", "a b", "é", "\0", "\ud800", "\x1b[31m", "None", "nan", "=1+1", "x" * 5000,
        b"", b"x", (), (1,), (0, 2), (2, 0), (-1, 3), (3, 3), (0, 10**9), (0.0, 2.0), ("a", "b"), (0, 2, "PER"),
        (2, 0, "X"), (None, None), frozenset(), frozenset({1}), range(3), complex(1, 2), Decimal("1.5"), Fraction(1, 3),
        date(2020, 1, 1), Ellipsis, int, len, Odd, np.int64(3), np.int64(-2), np.float64(1.5), np.float32("nan"),
        np.str_("x"), np.bool_(True), np.datetime64("2020-01-01"), Path("nothing.conll"), slice(1, 2),
        memoryview(b"x"), NotImplemented,
    )),
    list, dict, set, lambda: [[]], lambda: [None], lambda: [[None]], lambda: [True], lambda: [1.5], lambda: [b"x"],
    lambda: {"x": None}, lambda: {None: "x"}, lambda: {1: {2: 3}}, lambda: {"": ""}, lambda: {1, "a"},
    lambda: [0, "a", None], lambda: [(0, 2)], lambda: [[(0, 2), (0, 2)]], lambda: [(0, 2, "X"), (0, 2, "X")],
    lambda: {(0, 1): [(0, 1)]},
    lambda: iter("ab"), lambda: iter([]), lambda: (item for item in [1, 2]), lambda: map(str, [1]),
    lambda: zip("a", "b", strict=True), {"a": 1}.items, {"a": 1}.keys, {"a": 1}.values, lambda: bytearray(b"ab"),
    lambda: np.array([1, 2, 3]), lambda: np.array([[0, 2], [3, 4]]), lambda: np.array(["a", "b"]), lambda: np.array(5),
    lambda: np.array([]), lambda: np.array([None, "x"], object), lambda: np.array([1.5, math.nan]),
    lambda: np.zeros((2, 2, 2)), lambda: io.BytesIO(b"nonsense"), lambda: io.StringIO("{}"), lambda: io.BytesIO(b""),
    Odd, endless, cyclic, lambda: [endless(50)],
]  # fmt: skip
"""Each is made anew, for some can be used once only."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the things inside a structure are, itself first."""
    yield path
    if len(path) > 8:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from places(inner, (*path, ("value", name)))
            yield (*path, ("name", name))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from places(inner, (*path, ("item", number)))


def damage_text(value: Any, path: tuple[Any, ...], instead: Any) -> Any:
    """The same structure with something else at a place."""
    if not path:
        return instead
    (kind, where), *rest = path
    if kind == "name":
        try:
            return {instead if name == where else name: inner for name, inner in value.items()}
        except TypeError:  # what cannot be a name
            return instead
    if kind == "value":
        return {**value, where: damage_text(value[where], tuple(rest), instead)}
    items = list(value)
    items[where] = damage_text(items[where], tuple(rest), instead)
    return tuple(items) if isinstance(value, tuple) else items


def mangle_value(value: Any, rng: random.Random) -> Any:
    """A structure with nonsense inside, or with something of its own lost, repeated or exchanged."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        path = rng.choice(list(places(value)))
        instead = rng.choice(NONSENSE)()
        if rng.random() < 0.15:
            instead = _at(value, rng.choice(list(places(value))))
        elif rng.random() < 0.4:  # of the same kind, which goes further
            alike = [item for item in (make() for make in NONSENSE) if type(item) is type(_at(value, path))]
            instead = rng.choice(alike) if alike else instead
        value = damage_text(value, path, instead)
    return value


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for kind, where in path:
        value = where if kind == "name" else value[where]
    return value


# What is called.


def some_task(rng: random.Random) -> str:
    return rng.choice(registry.task_names())


def side(task: str, rng: random.Random) -> Any:
    return rng.choice(SHAPES[task])


def options(task: str, rng: random.Random) -> dict[str, Any]:
    """Options of a task by name with nonsense for values, and nonsense for names."""
    known = [
        "measures", "convention", "key_format", "response_format", "missing", "extra", "workers", "engine", "progress",
        "measure", "metrics", "keep", "colour", *options_of(registry.task(task).comparing.compare),
        *options_of(registry.task(task).reading.documents),
        *(name for measure in registry.measures(task) for name in measure.options),
    ]  # fmt: skip
    result = {}
    for _ in range(rng.choice((0, 1, 1, 2))):
        name = rng.choice(known)
        result[name] = rng.choice(NONSENSE)()
        if name == "measures" and rng.random() < 0.5:
            result[name] = [rng.choice(NONSENSE)(), rng.choice(registry.measures(task)).name]
    if isinstance(result.get("workers"), int) and result["workers"] > 1:
        result["workers"] = 1  # a process for each call would only be slow
    for name in ("engine", "progress"):
        if callable(result.get(name)):
            del result[name]  # a function of the user's own: what it raises is theirs
    return result


def called_score(rng: random.Random) -> Any:
    task = some_task(rng)
    key = response = side(task, rng)
    wanted = options(task, rng) if rng.random() < 0.3 else {}
    if rng.random() < 0.5:
        key = mangle_value(key, rng)
    else:
        response = mangle_value(response, rng)
    return lambda: check_result(
        aune.score(rng.choice(NONSENSE)() if rng.random() < 0.03 else task, key, response, **wanted)
    )


WHERE_NOTHING_IS_TO_FIND = {"coref": {"convention": "partition"}}
"""Links in chains of one mention each: 1 there, and 0 in the usual convention, as the scorer of CoNLL has it."""


def called_on_itself(rng: random.Random) -> Any:
    """What is accepted as a key is a perfect response to itself."""
    task = some_task(rng)
    state = rng.getstate()

    def again() -> Any:
        rng.setstate(state)
        return mangle_value(side(task, rng), rng)

    def attempt() -> None:
        measures = perfect(task)
        measure = measures[rng.randrange(len(measures))]
        check_perfect(aune.score(task, again(), again(), measures=[measure], **WHERE_NOTHING_IS_TO_FIND.get(task, {})))

    return attempt


@cache
def perfect(task: str) -> list[Measure]:
    """The measures whose values are what they call perfect, whenever a key that is right is compared with itself."""
    result = [measure for measure in registry.measures(task) if not measure.requires]
    warnings.simplefilter("ignore", AuneWarning)
    for shape in SHAPES[task]:
        for measure in result.copy():
            try:
                check_perfect(
                    aune.score(task, shape, shape, measures=[measure], **WHERE_NOTHING_IS_TO_FIND.get(task, {}))
                )
            except (AssertionError, AuneError):
                result.remove(measure)
    return result


def called_evaluate(rng: random.Random) -> Any:
    task = some_task(rng)
    key = side(task, rng)
    systems = mangle_value({"A": key, "B": side(task, rng)}, rng)
    return lambda: check_result(aune.evaluate(task, key, systems, **options(task, rng)))


def called_accumulate(rng: random.Random) -> Any:
    task = some_task(rng)
    shape = side(task, rng)
    batches = [(mangle_value(shape, rng) if rng.random() < 0.3 else shape, mangle_value(shape, rng)) for _ in range(2)]
    wanted = options(task, rng) if rng.random() < 0.3 else {}

    def attempt() -> None:
        scores = aune.accumulate(
            task, **{k: v for k, v in wanted.items() if k not in ("workers", "engine", "progress")}
        )
        refusal = None
        for key, response in [(shape, shape), *batches]:
            try:
                scores.add(key, response)
            except AuneError as error:
                refusal = error
        if rng.random() < 0.2:
            scores.merge(rng.choice(NONSENSE)())
        check_result(scores.result(rng.choice(NONSENSE)() if rng.random() < 0.2 else "response"))
        if refusal:
            raise refusal

    return attempt


def called_errors_of(rng: random.Random) -> Any:
    task = some_task(rng)
    key = side(task, rng)
    wanted = options(task, rng) if rng.random() < 0.3 else {}
    return lambda: [str(case) for case in aune.errors_of(task, key, mangle_value(key, rng), **wanted)]


@cache
def results() -> tuple[Result, Result]:
    key = {str(number): [{1, 2, 3}, {number, 8}] for number in range(4, 8)}
    runs = {"good": key, "bad": {name: [{1, 2}, {3}] for name in key}}
    names = ["muc", "b_cubed"]
    return aune.evaluate("coref", key, runs, measures=names), aune.score("coref", key, runs["bad"], measures=names)


def called_compare(rng: random.Random) -> Any:
    first, second = results()
    compared = rng.choice((first, {"a": second, "b": second}, [first, second]))
    names = ("test", "level", "draws", "seed", "unit", "correction", "tests")
    settings = {rng.choice(names): rng.choice(NONSENSE)() for _ in range(rng.choice((0, 1, 2)))}
    wanted = compared if settings and rng.random() < 0.7 else mangle_value(compared, rng)
    return lambda: str(aune.compare(wanted, **{"draws": 50, **settings}))


def called_written(rng: random.Random) -> Any:
    formats = ("table", "json", "jsonl", "csv", "tsv", "markdown", "latex", "html")
    names = ("by", "digits", "values", "test", "baselines", "raw", "name", "colour", "width", "colours")
    layout = {rng.choice(names): rng.choice(NONSENSE)() for _ in range(rng.choice((0, 1, 1, 2)))}
    form = rng.choice(formats) if layout else rng.choice(NONSENSE)()
    result = results()[0] if layout or rng.random() < 0.8 else rng.choice(NONSENSE)()
    return lambda: aune.render(result, form, **layout)


def called_files(rng: random.Random) -> Any:
    """What is saved and loaded: the paths are nonsense, or the result is."""
    what = rng.choice(NONSENSE)()
    if rng.random() < 0.5:
        return lambda: aune.load(what)
    return lambda: aune.save(results()[1], what) if rng.random() < 0.7 else aune.save(what, "saved")


def called_report(rng: random.Random) -> Any:
    task = some_task(rng)
    key = side(task, rng)
    names = ("title", "baselines", "level", "draws", "seed", "plain", "most_errors", "titel")
    wanted = {"draws": 20, **{rng.choice(names): rng.choice(NONSENSE)() for _ in range(rng.choice((0, 1)))}}
    systems = {"A": key} if rng.random() < 0.5 else mangle_value({"A": key}, rng)
    return lambda: aune.report(
        task, key, systems, rng.choice(NONSENSE)() if rng.random() < 0.3 else "page.html", **wanted
    )


def called_names(rng: random.Random) -> Any:
    """What tells of tasks, measures, formats and results, asked for nonsense."""
    what, result = rng.choice(NONSENSE)(), results()[rng.randrange(2)]
    return rng.choice((
        lambda: aune.measures(what), lambda: aune.formats(what), lambda: result[what], lambda: result["good", what],
        lambda: result.scores[0].by(what), lambda: result.scores[0][what], lambda: result.to(what),
        lambda: result.frame(what),
        lambda: result.scores[0].counts_by(what), lambda: Result.from_json(what), lambda: result.document_frame(what),
        lambda: registry.measure("muc", "coref")([{1, 2}], what),
        lambda: check_result(aune.score("coref", [{1}], [{1}], measures=what)),
    ))  # fmt: skip


CALLS: dict[str, Call] = {
    "score": called_score, "score of itself": called_on_itself, "evaluate": called_evaluate,
    "accumulate": called_accumulate, "errors_of": called_errors_of, "compare": called_compare,
    "written": called_written, "load and save": called_files, "report": called_report, "names": called_names,
}  # fmt: skip


# What must be true of what is accepted.


def check_result(result: Result) -> None:
    """Printable, and only numbers that measures can have."""
    str(result)
    json.loads(result.to_json(), parse_constant=_no_number)
    for score in result:
        for value, number in score.values.items():
            low, high = score.measure.range_of(value)
            assert number is None or low - 1e-9 <= number <= high + 1e-9, (score.name, value, number)


def check_perfect(result: Result) -> None:
    """What is not perfect is told why."""
    check_result(result)
    for score in () if result.warnings else result:
        for value, number in score.values.items():
            expected = score.measure.perfect_of(value)
            assert number is None or math.isnan(expected) or math.isclose(number, expected, abs_tol=1e-9), (
                score.name, value, number,
            )  # fmt: skip


def _no_number(text: str) -> None:
    raise ValueError(f"{text} in JSON")


def show_values(subject: str, seed: int, number: int) -> bytes:
    """How a trial is made again."""
    return f'python -c "from tests.fuzz.calls import again; again({subject!r}, {seed}, {number})"'.encode()


def attempt(subject: str, seed: int, number: int) -> bool:
    """Whether the call was refused; whatever else is raised is a finding."""
    rng = random.Random(f"{subject} {seed} {number}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", AuneWarning)
        try:
            CALLS[subject](rng)()
        except AuneError as error:
            assert str(error).strip(), "a refusal without a word"
            return True
        except RecursionError as error:
            raise AssertionError("too deep") from error
    return False


def again(subject: str, seed: int, number: int) -> None:
    """Try one call once more."""
    print("refused" if attempt(subject, seed, number) else "accepted")


def trials(seed: int, count: int, subject: str) -> Iterator[tuple[bytes, Callable[[], bool]]]:
    """So many calls of a function; what they write goes to a folder of their own, and nothing is read from us."""
    sys.stdin = io.TextIOWrapper(io.BytesIO())
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="aune-fuzz-") as folder:
        os.chdir(folder)
        try:
            for number in range(count):
                yield show_values(subject, seed, number), partial(attempt, subject, seed, number)
        finally:
            os.chdir(before)
