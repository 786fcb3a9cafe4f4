"""A gate for test suites: `aune_gate("coref", key, response, {"conll.f1": 0.7})` fails with the documents to blame.

pytest finds the plugin by itself where aune is installed. It imports nothing until a test asks for the gate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from aune.results.result import Result, SystemScore

MOST_DOCUMENTS = 10  # documents that a message lists


@pytest.fixture
def aune_gate() -> Callable[..., Result]:
    """`aune_gate(task, key, response, {"measure.value": least}, **options)`: the result, or a failed test.

    A value must be at least as good as its threshold, in the direction of its measure: no less for an F, no more for an
    error rate. With `reference`, an old response or its stored scores (`aune score --rows`), `fail_if_worse`,
    `fail_unless_better` and `equivalent` say what must be shown of the new one, as for `aune compare`. Options are
    those of `aune.score`.
    """
    return _check_gates


def _check_gates(
    task: str,
    key: Any,
    response: Any,
    gates: Mapping[str, float | str] | None = None,
    *,
    reference: Any = None,
    fail_if_worse: float | str | None = None,
    fail_unless_better: bool = False,
    equivalent: float | str | None = None,
    **options: Any,
) -> Result:
    from aune import AuneError  # noqa: PLC0415 - pytest starts fast

    __tracebackhide__ = True
    try:
        result, failures = _score_and_check(task, key, response, gates or {}, options)
        claims = {"fail_if_worse": fail_if_worse, "fail_unless_better": fail_unless_better, "equivalent": equivalent}
        failures += _check_against(reference, result, key, options, claims)
    except AuneError as error:
        result, failures = None, [str(error)]
    if failures or result is None:
        pytest.fail("\n".join(failures), pytrace=False)
    return result


def _score_and_check(
    task: str, key: Any, response: Any, gates: Mapping[str, float | str], options: dict[str, Any]
) -> tuple[Result, list[str]]:
    """The result, and what does not pass."""
    from aune import score  # noqa: PLC0415
    from aune.results.gates import Gate, gate_failures, parse_gate  # noqa: PLC0415

    targets = {name: _measure_and_value(task, name) for name in gates}
    measures = options.pop("measures", None) or list(dict.fromkeys(measure for measure, _ in targets.values()))
    result = score(task, key, response, measures=measures, **options)
    failures: list[str] = []
    for name, threshold in gates.items():
        measure, value = targets[name]
        is_text = isinstance(threshold, str)
        gate = parse_gate(f"{name}={threshold}", "") if is_text else Gate(name, float(threshold), option="")
        if lines := gate_failures(result, gate._replace(text=f"{measure}.{value}")):
            failures += [*lines, *_worst_documents(result[measure], value)]
    return result, failures


def _check_against(
    reference: Any, result: Result, key: Any, options: Mapping[str, Any], claims: Mapping[str, Any]
) -> list[str]:
    """What is not shown of a response against the one before it."""
    from aune import UsageError, compare, score  # noqa: PLC0415
    from aune.results.result import Result as Stored  # noqa: PLC0415

    if reference is None and not any(claims.values()):
        return []
    if reference is None or not any(claims.values()):
        raise UsageError("expected a reference with fail_if_worse, fail_unless_better or equivalent")
    is_stored = isinstance(reference, Stored) or _is_saved(reference)
    old = reference if is_stored else score(result.task, key, reference, **{**options, "measures": result.measures})
    comparisons = compare({"reference": old, "response": result}, **claims)
    return [decision.message for decision in comparisons.decisions if not decision.is_shown]


def _is_saved(reference: Any) -> bool:
    """Whether a path is that of saved scores: a folder of rows, or a result as JSON."""
    if not isinstance(reference, str | Path):
        return False
    path = Path(reference)
    if path.is_dir():
        return (path / "result.json").is_file()
    return path.suffix.lower() == ".json" and '"schema"' in path.read_text("utf-8", errors="replace")[:200]


def _measure_and_value(task: str, name: str) -> tuple[str, str]:
    """The measure and the value that a gate is about; the headline where it names a measure alone."""
    from aune import UsageError  # noqa: PLC0415
    from aune.contract import registry  # noqa: PLC0415
    from aune.contract.options import check_known  # noqa: PLC0415

    prefix, _, value = name.rpartition(".")
    with suppress(UsageError, ValueError):
        whole_measure = registry.measure(name, task)
        return whole_measure.name, whole_measure.headline
    measure = registry.measure(prefix or name, task)
    check_known([value], measure.values, f"value of {measure.name}")
    return measure.name, value


def _worst_documents(scored: SystemScore, value: str) -> list[str]:
    """The documents with the worst values, worst first."""
    if scored.measure.by not in ("", "document"):
        return []
    by_document = {name: values[value] for name, values in scored.by("document").items()}
    defined = {name: number for name, number in by_document.items() if number is not None}
    ordered = sorted(defined, key=lambda name: (float(scored.measure.goodness(_as_array(defined[name]), value)), name))
    if len(by_document) < 2:
        return []
    lines = [f"  {name}: {defined[name]:.6g}" for name in ordered[:MOST_DOCUMENTS]]
    rest = [f"  … and {len(ordered) - MOST_DOCUMENTS} more documents"] if len(ordered) > MOST_DOCUMENTS else []
    return ["worst documents:", *lines, *rest]


def _as_array(number: float) -> Any:
    import numpy as np  # noqa: PLC0415

    return np.array(number)
