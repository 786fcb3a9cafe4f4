"""aune: by the yardstick of. Measures for language technology, with the conventions stated and the numbers exact."""

# no import here, of annotations neither: what is interrupted before `__main__` stands ends in a traceback of Python
TYPE_CHECKING = False  # as `typing` has it, which takes a third of the time that it takes to start

__version__ = "0.2.0"
STDIN = "<stdin>"  # what standard input is called in messages and results; on the command line it is -

if TYPE_CHECKING:
    from typing import Any

    from aune.core.accumulation import accumulate
    from aune.core.calls import evaluate, score
    from aune.core.errors import AuneError, AuneWarning, InputError, NothingToScoreError, UsageError
    from aune.core.measure import Measure
    from aune.core.registry import formats, measures
    from aune.core.result import Result
    from aune.core.signature import Signature
    from aune.core.storage import load, save
    from aune.explain.analysis import errors_of
    from aune.reports import written
    from aune.reports.comparison import comparisons_written as comparisons_written
    from aune.reports.front import report
    from aune.statistics.comparison import compare

_HOMES = {
    "AuneError": "core.errors",
    "AuneWarning": "core.errors",
    "InputError": "core.errors",
    "Measure": "core.measure",
    "NothingToScoreError": "core.errors",
    "Result": "core.result",
    "Signature": "core.signature",
    "UsageError": "core.errors",
    "accumulate": "core.accumulation",
    "compare": "statistics.comparison",
    "comparisons_written": "reports.comparison",
    "errors_of": "explain.analysis",
    "evaluate": "core.calls",
    "formats": "core.registry",
    "load": "core.storage",
    "measures": "core.registry",
    "report": "reports.front",
    "save": "core.storage",
    "score": "core.calls",
    "written": "reports",
}

__all__ = [
    "AuneError",
    "AuneWarning",
    "InputError",
    "Measure",
    "NothingToScoreError",
    "Result",
    "Signature",
    "UsageError",
    "accumulate",
    "compare",
    "errors_of",
    "evaluate",
    "formats",
    "load",
    "measures",
    "report",
    "save",
    "score",
    "written",
]


def __getattr__(name: str) -> "Any":
    """Public names load their module when first used, so that `import aune` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'aune' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(f"aune.{_HOMES[name]}"), name)
    if not isinstance(value, type):
        value = import_module("aune.core.door").guarded(value, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
