"""Execution of the organiser's own scorer, in the scoring process and its sandbox.

A measure file is loaded as a measure and computed like any other. A program runs once per run:

    program KEY RUN

and prints one JSON object: `{"units": {"document 1": {"f2": 0.5}, …}}`, whose values are averaged and tested over the
units; or `{"values": {"f2": 0.5}}`, which is ranked without intervals and tests; or `{"problems": ["…"]}` for an
invalid run. Any other behaviour is a fault of the scorer, which counts for no quota.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from aune import __version__
from aune.campaign.protocol.protocol_file import Protocol
from aune.campaign.protocol.scorer import MEASURE_KIND, SCORER, Scorer, declared_measure, unit_counts
from aune.contract.measure import Measure, flatten, layout_of
from aune.contract.options import Range
from aune.contract.signature import signature
from aune.errors import InputError, Place, Problem, make_visible
from aune.evaluation.pipeline import evaluate
from aune.files import parse_strict_json
from aune.results.result import Result, SystemScore
from aune.results.rows import Rows
from aune.sandbox import ONE_THREAD, Limits, run_program

LONGEST_OUTPUT = 50_000_000  # bytes
MOST_PROBLEMS = 20  # problems of a run that are shown
LONGEST_PROBLEM = 500  # characters of each
ONLY_UNIT = "all"
"""The name of the single unit of a program that does not report units."""


class ScorerError(Exception):
    """Raised if a scorer misbehaves, which is the organiser's fault, never the run's."""


class ScorerLimitError(Exception):
    """Raised if a program exceeds its time limit."""


class _Output(msgspec.Struct, forbid_unknown_fields=True):
    """The output of a program."""

    units: dict[str, dict[str, float | None]] = {}
    values: dict[str, float | None] = {}
    problems: list[str] = []


def evaluate_runs(
    folder: Path, protocol: Protocol, key: Any, paths: Mapping[str, Any], options: Mapping[str, Any], key_file: str = ""
) -> Result:
    """The scores of runs by the measures of the protocol, including the organiser's scorer.

    `key_file` is the path that a program gets if `key` contains documents.
    """
    scorer, names = protocol.scoring.scorer, options["measures"]
    if scorer is None or SCORER not in names:
        return evaluate(protocol.task, key, paths, **options)
    if scorer.kind == MEASURE_KIND:
        loaded = load_measure(folder, scorer)
        chosen = [loaded if name == SCORER else name for name in names]
        result = evaluate(protocol.task, key, paths, **{**options, "measures": chosen})
        return replace(result, scores=[_sign_score(score, folder, scorer) for score in result])
    others = [name for name in names if name != SCORER]
    result = Result(protocol.task, [])
    if others:
        result = evaluate(protocol.task, key, paths, **{**options, "measures": others})
    program_scores = _program_scores(folder, protocol, key_file or str(key), paths)
    return replace(result, scores=[*program_scores, *result.scores])


def without_scorer(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an evaluation without the organiser's scorer; the default measures if it is the only one."""
    return {**options, "measures": [name for name in options["measures"] if name != SCORER] or None}


def load_measure(folder: Path, scorer: Scorer) -> Measure:
    """The measure in a file, which must agree with the declaration in the protocol."""
    path = folder / scorer.file
    spec = importlib.util.spec_from_file_location("organiser_scorer", path)
    if spec is None or spec.loader is None:
        raise ScorerError(f"{scorer.file}: expected a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.append(str(path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the organiser's code may raise anything
        raise ScorerError(f"{scorer.file}: {type(error).__name__}: {error}") from error
    measure = getattr(module, "MEASURE", None)
    if not isinstance(measure, Measure):
        raise ScorerError(f"{scorer.file}: expected a measure called MEASURE")
    if lacking := [value for value in scorer.values if value not in measure.values]:
        raise ScorerError(f"{scorer.file}: no value {lacking[0]!r}, which the protocol declares")
    for value in scorer.values:
        if (better := measure.better_of(value)) != scorer.better:
            raise ScorerError(f"{scorer.file}: {value} is better when {better}, in the protocol when {scorer.better}")
    return replace(measure, label=SCORER, aliases=())


def _sign_score(score: SystemScore, folder: Path, scorer: Scorer) -> SystemScore:
    """A score of the organiser's scorer gets the digest of the code in its signature; other scores stay unchanged."""
    if score.name != SCORER:
        return score
    options = {**score.signature.options, "code": _code_digest(folder, scorer)}
    return replace(score, signature=score.signature._replace(options=options))


def _code_digest(folder: Path, scorer: Scorer) -> str:
    digest = hashlib.sha256()
    for path in scorer.paths:
        digest.update(hashlib.sha256((folder / path).read_bytes()).digest())
    return digest.hexdigest()[:12]


def _program_scores(folder: Path, protocol: Protocol, key: str, paths: Mapping[str, str]) -> list[SystemScore]:
    """The scores that a program gives to runs; all runs get the same units."""
    scoring, scorer = protocol.scoring, protocol.scoring.scorer
    assert scorer is not None
    outputs = {system: run_scorer(folder, scorer, key, path) for system, path in paths.items()}
    units = list(dict.fromkeys(unit for output in outputs.values() for unit in output))
    measure = declared_measure(scorer)
    signed = signature(SCORER, {"code": _code_digest(folder, scorer), "unit": scoring.unit}, __version__)
    scores = []
    for system, output in outputs.items():
        counts = unit_counts(scorer, [output.get(unit, {}) for unit in units])
        rows = Rows({scoring.unit: units}, flatten(counts), layout_of(counts))
        scores.append(SystemScore(system, measure, signed, rows))
    return scores


def run_scorer(folder: Path, scorer: Scorer, key: str, run: str) -> dict[str, dict[str, float | None]]:
    """A program's values for the units of a run; raises InputError with the problems that the program reports."""
    program = (folder / scorer.file).resolve()
    inputs = [str(Path(path).resolve()) for path in (key, run)]
    command = [sys.executable, str(program)] if program.suffix == ".py" else [str(program)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        code = _run_limited([*command, *inputs], program, scorer, out, errors)
        printed, complaint = _read_output(out), _read_output(errors)[-1000:].decode("utf-8", "replace").strip()
    if code:
        raise ScorerError(f"{scorer.file} ended with {code}: {complaint or 'it says nothing'}")
    try:
        parse_strict_json(printed.decode())  # of two units with the same name one would be lost
        output = msgspec.json.decode(printed, type=_Output)
    except (msgspec.DecodeError, ValueError) as error:
        raise ScorerError(f"{scorer.file} printed no JSON as it should: {error}") from None
    if output.problems:
        raise InputError(_stated_problems(output.problems, run))
    return _checked_units(output, scorer)


def _run_limited(command: Sequence[str], program: Path, scorer: Scorer, out: Any, errors: Any) -> int:
    """The exit code of a program; all processes that it started are killed."""
    if program.suffix != ".py":
        program.chmod(0o700)
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": tempfile.gettempdir(),
        **ONE_THREAD,
    }
    limits = Limits(scorer.seconds, scorer.memory, LONGEST_OUTPUT)
    try:
        code = run_program(command, limits, environment=environment, folder=program.parent, stdout=out, stderr=errors)
    except OSError as error:
        raise ScorerError(f"{scorer.file} cannot be run: {error.strerror}") from None
    if code is None:
        raise ScorerLimitError(f"{scorer.file} took more than {scorer.seconds} seconds")
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        raise ScorerLimitError(f"{scorer.file} took more than {scorer.seconds} seconds of computing")
    return code


def _read_output(file: Any) -> bytes:
    file.seek(0)
    data: bytes = file.read(LONGEST_OUTPUT)
    return data


def _stated_problems(problems: Sequence[str], run: str) -> list[Problem]:
    """The problems that a program reports in a run."""
    texts = [make_visible(str(text))[:LONGEST_PROBLEM] for text in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        texts.append(f"and {len(problems) - MOST_PROBLEMS} more")
    return [Problem("run.refused-by-scorer", Place(run), text) for text in texts]


def _checked_units(output: _Output, scorer: Scorer) -> dict[str, dict[str, float | None]]:
    """The values by unit, checked against the declaration in the protocol."""
    if bool(output.units) == bool(output.values):
        raise ScorerError(f"{scorer.file}: expected 'units' or 'values', and not both")
    units = output.units or {ONLY_UNIT: output.values}
    bounds = Range(scorer.low, scorer.high)
    for unit, row in units.items():
        if set(row) != set(scorer.values):
            raise ScorerError(f"{scorer.file}: {unit!r} has {sorted(row)}, expected {sorted(scorer.values)}")
        for name, value in row.items():
            if value is not None and value not in bounds:
                raise ScorerError(f"{scorer.file}: {name} of {unit!r} is {json.dumps(value)}, expected {bounds}")
    return units
