"""aune: by the yardstick of. Measures for language technology, with the conventions stated and the numbers exact."""

# no import here, of annotations neither: what is interrupted before `__main__` stands ends in a traceback of Python
TYPE_CHECKING = False  # as `typing` has it, which takes a third of the time that it takes to start

__version__ = "0.2.0"
STDIN = "<stdin>"  # what standard input is called in messages and results; on the command line it is -

if TYPE_CHECKING:
    from typing import Any

    from aune.api import evaluate, score
    from aune.contract.measure import Measure
    from aune.contract.registry import formats, measures
    from aune.contract.signature import Signature
    from aune.doubtful_items.ranking import doubts as doubts
    from aune.errors import AuneError, AuneWarning, InputError, NothingToScoreError, UsageError
    from aune.evaluation.accumulation import accumulate
    from aune.explain.analysis import errors_of
    from aune.explain.rescoring import rescore as rescore
    from aune.explain.unchanged_results import keep_unchanged as keep_unchanged
    from aune.meta.robustness import robustness as robustness
    from aune.reading.system_names import Runs as Runs
    from aune.reports import render
    from aune.reports.analyses import analysis_written as analysis_written
    from aune.reports.comparison import comparisons_written as comparisons_written
    from aune.reports.doubts import doubts_written as doubts_written
    from aune.reports.evaluation_report import report
    from aune.reports.rescoring import rescored_written as rescored_written
    from aune.results.result import Result
    from aune.results.storage import load, save
    from aune.statistics.annotator_keys import score_annotators as score_annotators
    from aune.statistics.comparison import compare
    from aune.statistics.planning import plan as plan

_PUBLIC_MODULES = {
    "AuneError": "errors",
    "AuneWarning": "errors",
    "InputError": "errors",
    "Measure": "contract.measure",
    "NothingToScoreError": "errors",
    "Result": "results.result",
    "Runs": "reading.system_names",
    "Signature": "contract.signature",
    "UsageError": "errors",
    "accumulate": "evaluation.accumulation",
    "analysis_written": "reports.analyses",
    "compare": "statistics.comparison",
    "comparisons_written": "reports.comparison",
    "doubts": "doubtful_items.ranking",
    "doubts_written": "reports.doubts",
    "errors_of": "explain.analysis",
    "evaluate": "api",
    "formats": "contract.registry",
    "keep_unchanged": "explain.unchanged_results",
    "load": "results.storage",
    "measures": "contract.registry",
    "plan": "statistics.planning",
    "report": "reports.evaluation_report",
    "rescore": "explain.rescoring",
    "rescored_written": "reports.rescoring",
    "save": "results.storage",
    "robustness": "meta.robustness",
    "score": "api",
    "score_annotators": "statistics.annotator_keys",
    "render": "reports",
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
    "render",
    "report",
    "save",
    "score",
]


def __getattr__(name: str) -> "Any":
    """Public names load their module when first used, so that `import aune` costs nothing."""
    if name not in _PUBLIC_MODULES:
        raise AttributeError(f"module 'aune' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(f"aune.{_PUBLIC_MODULES[name]}"), name)
    if not isinstance(value, type):
        value = import_module("aune.reading.argument_checks").validate_call(value, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
