"""Every command with every kind of bad path and bad value, drawn from the command line's own description.

A command, an argument or an option of a task that is added is walked over by itself; nothing is listed here but good
values for what a command must be given, so that the bad value is reached: with good values alone, every
command answers.
"""

from __future__ import annotations

import atexit
import errno
import gzip
import json
import lzma
import os
import random
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cache, partial
from itertools import count, groupby, product
from pathlib import Path
from typing import Any, NamedTuple, get_args
from unittest.mock import patch

from cyclopts import App

from aune.campaign.archive import campaign_backup
from aune.campaign.protocol.phases import PHASES
from aune.campaign.protocol.protocol_file import PROTOCOL_FILE
from aune.campaign.protocol.visibility import THE_ORGANISER
from aune.campaign.runs import jobs
from aune.campaign.runs.handouts import make_handout
from aune.campaign.scaffold import create_campaign
from aune.cli import run
from aune.cli._application import application
from aune.contract import registry
from aune.evaluation.plan import collect_options
from aune.server.site import Site
from aune.server.startup import site_database

os.environ.setdefault(
    "ARROW_DEFAULT_MEMORY_POOL", "system"
)  # its own takes a gigabyte of addresses, of the two we have
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KEYS = {
    "anaphora": ("key.tsv", "careful.tsv"), "coref": ("key.conll", "strings.conll"),
    "entities": ("key.conll", "rules.conll"), "speech": ("key.trn", "response.trn"),
    "tagging": ("key.tsv", "rules.tsv"),
}  # fmt: skip
GOOD = {
    "task": "{task}", "key": "key", "source": "key", "training": "key", "held_out": "key", "corpus": "key",
    "response": "response", "responses": "response other", "files": "key other", "inputs": "key response",
    "file": "key", "target": "out", "table": "table.tsv", "measures": "muc core",
    "--parameter": "semantics=0.5", "--output": "out", "--mentions": "5", "--key-chains": "2", "--samples": "2",
    "--size": "2", "--draws": "20", "--model": "model", "--rounds": "2", "--to": "{to}",
}  # fmt: skip
ALWAYS = {"--to", "--samples", "--size", "--draws", "--rounds", "--ci"}
"""Options that make a line short work, or one that can be answered at all."""
TO = {"anaphora": "jsonlines", "coref": "jsonlines", "entities": "jsonl", "speech": "manifest", "tagging": "jsonl"}
BASELINES = {"anaphora": "recent", "coref": "singletons", "tagging": "heuristic_random"}
GOOD_OF = {
    "anova": {"--by": "{unit}"},
    "baseline": {"name": "{baseline}", "target": "out {learnt}"},
    "campaign": {
        "folder": "campaign", "place": "campaign", "data": "try", "--data": "try", "team": "Alpha", "--team": "Alpha",
        "phase": "dry-adjudication", "file": "run.tsv", "--handout": "handout", "document": "b", "source": "backup",
        "--task": "tagging", "--annotator": "run.tsv --annotator run.tsv", "--as": "organiser",
    },
    "campaign archive": {"folder": "ended", "data": "final"},
    "campaign baseline": {"name": "most_frequent"},
    "campaign codabench": {"folder": "ended", "data": "final"},
    "campaign conditions": {"folder": "judged", "phase": "dry-run"},
    "campaign consent": {"consent": "named"},
    "campaign decide": {"folder": "judged", "dispute": "{dispute}"},
    "campaign describe": {"folder": "judged", "submission": "{submission}"},
    "campaign detach": {"name": "guide.tsv"},
    "campaign disqualify": {"folder": "judged", "submission": "{submission}"},
    "campaign dispute": {"folder": "judged", "document": "try", "edit": "{edit}"},
    "campaign doi": {"doi": "10.5281/zenodo.1"},
    "campaign key": {"data": "final", "file": "final.tsv", "--annotator": "final.tsv --annotator again.tsv"},
    "campaign page": {"folder": "judged", "submission": "{submission}"},
    "campaign plan": {"responses": "run.tsv"},
    "campaign primary": {"folder": "received", "submission": "{submission}"},
    "campaign publish": {"folder": "ended", "data": "final"},
    "campaign rekey": {"folder": "mended"},
    "campaign restore": {"folder": "out"},
    "campaign retract": {"folder": "judged", "submission": "{submission}"},
    "campaign status": {"folder": "judged", "submission": "{submission}"},
    "campaign validate": {"folder": "ended"},
    "cite": {"what": "coref.muc"},
    "completion": {"words": ""},
    "explain": {"name": "coref.muc"},
    "figure": {"name": "recall-precision", "inputs": "coref key response", "--output": "out.vl.json"},
    "list": {"what": "measures"},
    "meta impact": {"upstream": "scores.csv", "downstream": ""},
    "report": {"--output": "out.html"},
    "rescore": {"new": "other"},
    "site": {"folder": "site", "source": "backup"},
    "site person": {"name": "Ann"},
    "site restore": {"folder": "out"},
    "speech train": {"corpus": "train.jsonl", "key": "said.jsonl", "responses": "north.jsonl", "--normalise": "en"},
    "tagging table": {"--tagset": "grace", "file": "neural.tsv", "files": "neural.tsv", "source": "neural.tsv",
                      "--to": "jsonl"},
}  # fmt: skip
"""What differs for some commands: an option that is named here stands in their lines, an argument may be left out."""
NOTHING_THERE = {("baseline", "entities"), ("baseline", "speech"), ("combine", "anaphora")}
"""Commands that have nothing to offer for a task."""
NEEDS_ACCOUNTS = {("site", "person")}
"""Commands that have nothing to say of an empty site."""
UNITS = {"entities": "sentence", "tagging": "sentence"}
LEARNT = {"tagging": "--training key"}
EDIT = '{"word":0,"tags":"NOUN"}'

NUMBERS = ["-1", "-0.5", "inf", "-inf", "nan", "1e999", "9" * 30, "", " ", "x", "1,5", "--", "1 2"]
NEVER = {"inf", "-inf", "nan", "1e999", "", " ", "x", "1,5", "1 2"}
"""What no number of ours may be: refused with exit code 2."""
TEXTS = [
    "", " ", "x", "-", "-1", "nan", "\x1b[31mred", "\x9b31m", "a\u202eb", "a\rb", "[bold]x[/",
    "{0}%s", "=", "a=b", "a=", "=b", ",", ",,", "(", "f(",
    "f(x=", "macro(f_measure, by=nothing)", "mean()", "f_measure(beta=-1)", "f_measure(beta=nan)", "os:system",
    "nothing:AT_ALL", "a.b.c:d", "é" * 200, "(" * 3000, "\udcff", "a\nb", "no such", "__class__", "key>1e999",
    "wer<nan", "0:1:0", "1..2", "dask=", "dask=nowhere", "processes=-1",
]  # fmt: skip
NO_TEXT = ["\udcff", "\udcff=response", "a=\udcff"]
"""What nothing but the name of a file may be: refused with exit code 2."""
PATHS = [
    "missing", "folder", "empty-folder", "empty", "binary", "newlines", "broken", "loop", "socket", "packed.gz",
    "packed.xz", "packed.zst", "/dev/null", "/dev/full", "/dev/zero", "x" * 300, "folder/no/where", "key/inside",
    "~nobody/x", "nothing://a/b", "http://127.0.0.1:9/a", "file:///nothing", "new\nline", "esc\x1b[2Jape", "deep.json",
    "deep.toml", "=", "a=missing", "a=/dev/zero", "*", "key", "result.json", "\udcff=response", "no\udcfftext",
]  # fmt: skip
CODES = {0, 1, 2, 3, 4}
MEASURES, STOPPED = "options of measures", "writers that are stopped"
WRITTEN = {"target": "out", "--output": "out2", "--rows": "rows", "--projected": "rows", "--disagreements": "table"}
"""What names a file or a folder to write, each with a place for it."""
STEPS = 16
FAILURES: tuple[tuple[BaseException, int], ...] = (
    (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), 2), (KeyboardInterrupt(), 130),
)  # fmt: skip
ENDLESS = {("serve",), ("campaign", "serve"), ("demo",)}
"""Commands that go on until they are stopped, for tests/server, or take seconds, for tests/cli/test_demo.py."""
ELSEWHERE = {("campaign", "page")}
"""Commands that do their work in a process of its own, which would be stopped too."""
RECORDING = {("campaign", name) for name in ("submit", "page", "handout", "archive")}
"""A campaign records what was sent to it and is refused, and what it gives before that goes elsewhere."""
RECORD = re.compile(r"[^/]+/(store/\w\w(/\w+)?|work)$")
INPUTS = {"key", "response", "other", "table.tsv", "scores.csv"}


STEERING = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys, and what turns the direction of a line."""


class Line(NamedTuple):
    """What was typed, the value in it that is bad, the exit codes that are an answer, and what fails at which step."""

    words: tuple[str, ...]
    bad: str
    codes: tuple[int, ...]
    failure: BaseException | None = None
    step: int = 0


@cache
def commands() -> list[tuple[tuple[str, ...], App]]:
    """The words that name each command, and what it takes."""
    return [*_commands(application(), ())]


def _commands(app: App, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], App]]:
    inside = [name for name in app if not name.startswith("-")]
    for name in inside:
        yield from _commands(app[name], (*words, name))
    if not inside:
        yield words, app


def lines(words: tuple[str, ...], app: App) -> Iterator[Line]:
    """Every bad value of every argument of one command, for every task where it has one."""
    for task, good in good_values(words, app):
        for argument in _arguments(app):
            name = _name(argument)
            if name == "--[KEYWORD]":
                for option in _options(task):
                    yield from _type_options(words, good, f"--{option.replace('_', '-')}", "", TEXTS + NUMBERS, CODES)
            elif _kinds(argument.hint) & {int, float}:
                yield from _type_options(words, good, name, "", [bad for bad in NUMBERS if bad in NEVER], {2})
                yield from _type_options(words, good, name, "", [bad for bad in NUMBERS if bad not in NEVER], CODES)
            elif bool in _kinds(argument.hint):
                yield from _type_options(words, good, name, "=", NUMBERS, CODES)
            else:
                yield from _type_options(words, good, name, "", TEXTS + PATHS, CODES)
                if str in _kinds(argument.hint) and argument.parameter.validator and not argument.parameter.converter:
                    yield from _type_options(words, good, name, "", NO_TEXT, {2})


def good_lines(words: tuple[str, ...], app: App) -> Iterator[Line]:
    """What the bad values stand in, all good: the command is answered, for every task where it has an answer."""
    for task, good in good_values(words, app):
        if words not in NEEDS_ACCOUNTS and (words[0], task) not in NOTHING_THERE:
            yield Line(_line(words, good), f"{' '.join(words)} of {task}", (0,))


def good_values(words: tuple[str, ...], app: App) -> Iterator[tuple[str, dict[str, str]]]:
    """A good value of everything that a command must be given, for every task where it has one."""
    arguments = _arguments(app)
    names = {_name(argument) for argument in arguments}
    here = _of_command(words)
    for task in registry.task_names() if "task" in names else ["coref"]:
        needed = [
            argument
            for argument in arguments
            if argument.required or argument.index is not None or _name(argument) in ALWAYS | here.keys()
        ]
        yield task, {_name(item): _good(words, item, task) for item in needed}


def _arguments(app: App) -> list[Any]:
    every = app.assemble_argument_collection()
    return [item for item in every if item.parameter.parse is not False and not item.children]


def _of_command(words: tuple[str, ...]) -> dict[str, str]:
    """What is good for one command, for all of its room, or of its family."""
    return {
        name: value
        for count in range(len(words))
        for name, value in GOOD_OF.get(" ".join(words[: count + 1]), {}).items()
    }


def measure_option_lines() -> Iterator[Line]:
    """Every bad value of every option of every measure."""
    for task in registry.task_names():
        for measure in registry.measures(task):
            good = {"task": task, "key": "key", "responses": "response", "--measures": measure.name}
            for name, option in measure.options.items():
                bad = NUMBERS if _kinds(option.type) & {int, float} else TEXTS + PATHS
                yield from _type_options(("score",), good, f"--{name.replace('_', '-')}", "", bad, CODES)


def stop_command() -> Iterator[Line]:
    """Every command that writes, with all that it can write, stopped at every step of its writing."""
    for words, app in commands():
        if words not in ELSEWHERE and outputs_of(app):
            for line in full_lines(words, app):
                for (failure, code), step in product(FAILURES, range(1, STEPS)):
                    message = f"{line.bad}: {failure!r} at step {step}"
                    yield line._replace(bad=message, codes=(0, code), failure=failure, step=step)


def full_lines(words: tuple[str, ...], app: App) -> Iterator[Line]:
    """The good lines of a command that ends, with all that it can write."""
    for task, good in good_values(words, app):
        if words not in ENDLESS | NEEDS_ACCOUNTS and (words[0], task) not in NOTHING_THERE:
            outputs = {name: place for name, place in outputs_of(app).items() if name not in good}
            yield Line(_line(words, good | outputs), " ".join(words), (0,))


def outputs_of(app: App) -> dict[str, str]:
    """What a command can write, each with a place for it."""
    return {name: WRITTEN[name] for argument in _arguments(app) if (name := _name(argument)) in WRITTEN}


@contextmanager
def failing(failure: BaseException | None, step: int) -> Iterator[None]:
    """What happens at one step of writing: a folder that is made, a file that is synced, dressed, or given its name."""
    steps = count(1)

    def stopping(call: Callable[..., Any]) -> Callable[..., Any]:
        def stop_command(*arguments: Any, **options: Any) -> Any:
            if next(steps) == step and failure is not None:
                raise type(failure)(*failure.args)  # a new one: it keeps what it went through
            return call(*arguments, **options)

        return stop_command

    with ExitStack() as patches:
        for owner, name in ((os, "fsync"), (Path, "mkdir"), (Path, "chmod"), (Path, "replace")):
            patches.enter_context(patch.object(owner, name, stopping(getattr(owner, name))))
        yield


def _options(task: str) -> list[str]:
    """The options of a task and of its formats."""
    home = registry.task(task)
    return [*collect_options([home.comparing.compare, *(form.read for form in registry.formats(task))])]


def _name(argument: Any) -> str:
    return argument.name if argument.name.startswith("-") else argument.name.lower()


def _good(words: tuple[str, ...], argument: Any, task: str) -> str:
    name = _name(argument)
    literals = [value for value in get_args(argument.hint) if isinstance(value, str)]
    value = {**GOOD, **_of_command(words)}.get(
        name, literals[0] if literals else "" if bool in _kinds(argument.hint) else "x"
    )
    known = {
        "task": task,
        "to": TO[task],
        "unit": UNITS.get(task, "document"),
        "baseline": BASELINES.get(task, "x"),
        "learnt": LEARNT.get(task, ""),
    }
    return value.format(**known, **(_claims() if words[0] == "campaign" else {}))


def _type_options(
    words: tuple[str, ...], good: dict[str, str], name: str, joined: str, bad: list[str], codes: set[int]
) -> Iterator[Line]:
    for value in bad:
        message = f"{' '.join(words)} {name} {value[:40]!r}"
        yield Line(_line(words, {**good, name: value}, name, joined), message, tuple(sorted(codes)))


def _line(words: tuple[str, ...], values: dict[str, str], bad: str = "", joined: str = "") -> tuple[str, ...]:
    """What is typed: good values may be several words, a bad one is one."""
    positional = [
        word
        for name, text in values.items()
        if not name.startswith("-")
        for word in ([text] if name == bad else text.split())
    ]
    flags = [
        part
        for name, text in values.items()
        if name.startswith("-")
        for part in ([name, *text.split()] if name != bad else [f"{name}={text}"] if joined else [name, text])
    ]
    return (*words, *positional, *flags)


def _kinds(hint: Any) -> set[Any]:
    return {hint} | {kind for inside in get_args(hint) for kind in _kinds(inside)}


@contextmanager
def folder(task: str, room: str = "") -> Iterator[Path]:
    """A folder to work in, with good files of a task and bad ones of every kind; and a campaign, or a site."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as made:
        home = _home_of_the_site() if room == "site" else _fill_text(Path(made), task)
        if room == "campaign":
            _claims()
            shutil.copytree(_campaigns(), home, dirs_exist_ok=True)
        if room == "speech":
            (home / "model").write_bytes(_model())
        os.chdir(home)
        try:
            yield home
        finally:
            os.chdir(before)


def _fill_text(home: Path, task: str) -> Path:
    for target, name in zip(("key", "response", "other"), (*KEYS[task], KEYS[task][1]), strict=True):
        shutil.copy(EXAMPLES / task / name, home / target)
    for name in ("tagging/table.tsv", "tagging/neural.tsv", "speech/train.jsonl", "speech/north.jsonl"):
        shutil.copy(EXAMPLES / name, home)
    shutil.copy(EXAMPLES / "speech" / "key.jsonl", home / "said.jsonl")
    shutil.copy(EXAMPLES / "papers" / "table-2-1.csv", home / "scores.csv")
    _bad_files(home)
    return home


@cache
def _home_of_the_site() -> Path:
    """A folder with an empty site and a backup of it: one for all lines, as a process has one database."""
    home = _fill_text(_lasting(), "coref")
    with site_database(Site(folder=str(home / "site"), accounts=True)):
        pass
    assert ran(("site", "backup", str(home / "site"), str(home / "backup")))[0] == 0
    return home


@cache
def _campaigns() -> Path:
    """Campaigns: in its dry run with one team, a run for it and a backup of it; then with a run that is scored and a
    dispute, and with one that was accepted; and one that has come to its end.
    """
    home = _lasting()
    campaign = create_campaign(home / "campaign", "demo", "tagging")
    (campaign.folder / "licence.txt").write_text("For tests only.\n")
    _hurry(home / "campaign")
    for phase in ("training", "dry run"):
        campaign.begin_phase(phase)
    campaign.accept_licence(campaign.register("Alpha").id)
    campaign_backup.write_backup(campaign, home / "backup")
    for name, content in make_handout(campaign, THE_ORGANISER, "try").items():
        path = home / "handout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    shutil.copy(home / "campaign" / "keys" / "try.tsv", home / "run.tsv")
    _answer("campaign", "attach", str(home / "campaign"), str(home / "run.tsv"), "--name", "guide.tsv")
    for name in ("final.tsv", "again.tsv"):
        shutil.copy(home / "campaign" / "keys" / "final.tsv", home / name)
    ended = create_campaign(home / "ended", "demo", "tagging")
    (ended.folder / "licence.txt").write_text("For tests only.\n")
    ended.register("Alpha")
    for phase in PHASES[1 : PHASES.index("open")]:
        ended.begin_phase(phase)
    return home


def _hurry(folder: Path) -> None:
    """Let a job wait no longer than this for room on a full disk."""
    plan = folder / PROTOCOL_FILE
    plan.write_text(plan.read_text().replace("seconds = 600", "seconds = 30"))


@cache
def _claims() -> dict[str, str]:
    """A run that was scored and a dispute about its key, in a copy of the campaign; another has accepted it."""
    home = _campaigns()
    judged, mended = str(home / "judged"), str(home / "mended")
    shutil.copytree(home / "campaign", judged)
    sent = ("campaign", "submit", judged, str(home / "run.tsv"), "--data", "try", "--team", "Alpha")
    with patch.object(jobs, "run_spawned", jobs.run_forked):
        receipt = json.loads(_answer(*sent))
    shutil.copytree(judged, home / "received")
    _answer("campaign", "phase", judged, "dry-adjudication")
    dispute = _answer("campaign", "dispute", judged, "try", "try", EDIT, "--argument", "x").strip()
    shutil.copytree(judged, mended)
    _answer("campaign", "decide", mended, dispute, "accepted", "--author", "x", "--reason", "x")
    return {"submission": receipt["submission"], "dispute": dispute, "edit": EDIT}


def _answer(*words: str) -> str:
    """What a line prints that must be answered."""
    code, output, errors = ran(words)
    assert code == 0, errors
    return output


@cache
def _model() -> bytes:
    """A small model of ATENE."""
    home = _lasting()
    _answer("speech", "train", "atene", str(EXAMPLES / "speech" / "train.jsonl"), "--rounds", "2", "--normalise", "en",
            "--output", str(home / "model"))  # fmt: skip
    return (home / "model").read_bytes()


def _lasting() -> Path:
    """An empty folder that goes with the process."""
    made = tempfile.TemporaryDirectory()
    atexit.register(made.cleanup)
    return Path(made.name)


def _bad_files(home: Path) -> None:
    (home / "folder").mkdir()
    (home / "folder" / "a").write_text("x\ty\n")
    (home / "empty-folder").mkdir()
    for name, data in {
        "empty": b"", "binary": bytes(range(256)) * 20, "newlines": b"\n" * 5000, "result.json": b'{"version": 1}',
        "packed.gz": gzip.compress(b"a\n" * 5000)[:-9], "packed.xz": lzma.compress(b"a\n" * 5000)[:-9],
        "packed.zst": b"\x28\xb5\x2f\xfd" + b"\xff" * 40,
        "deep.json": b"[" * 50_000, "deep.toml": b"a = " + b"[" * 9000,
    }.items():  # fmt: skip
        (home / name).write_bytes(data)
    shutil.copy(home / "response", home / "no\udcfftext")
    (home / "broken").symlink_to("nothing")
    (home / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home / "socket"))


def contents(home: Path) -> dict[str, Any]:
    """What a folder holds, to the byte."""
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() and not path.is_symlink() else path.is_dir()
        for path in sorted(home.rglob("*"))
    }


def is_refused(line: Line, home: Path, before: dict[str, Any]) -> bool:
    """Whether a line was refused, once it is sure that it was answered as it must be."""
    try:
        with failing(line.failure, line.step) if line.failure else nullcontext():
            code, output, errors = ran(line.words)
    finally:
        after = contents(home)
        restore(home, before, after)
    complaint = wrong(line, before, after, code, output, errors)
    assert not complaint, f"{line.bad}: {complaint}"
    return code not in (0, 1)


def wrong(line: Line, before: dict[str, Any], after: dict[str, Any], code: int, output: str, errors: str) -> str:
    """What is wrong with how a line was answered, or '' when all is well."""
    messages = [error for error in errors.splitlines() if not error.startswith(("aune: warning:", "aune: … and"))]
    if code not in line.codes:
        return f"exit {code}, expected {line.codes}: {errors[-600:]}"
    if "Traceback" in errors:
        return errors[-600:]
    if STEERING.search(output + errors):
        return f"a control character was sent to the terminal: {(output + errors)[-300:]!r}"
    if code in (2, 4) and (len(messages) != 1 or output):
        return f"exit {code} with {len(messages)} lines, {len(output)} characters of output: {errors[-600:]}"
    if code == 3 and not messages:
        return "exit 3 without a word"
    read = {name for name in INPUTS if line.words.count(name) > line.bad.endswith(f" {name!r}")}
    remaining = before if code not in (0, 1) else read
    recording = line.words[:2] in RECORDING
    changed = {
        name for name in remaining if after.get(name) != before[name] and not (recording and _grew(name, before, after))
    }
    written = {name for name in after.keys() - before.keys() if not (recording and RECORD.match(name))}
    if changed or (code not in (0, 1) and written):
        return f"exit {code}, changed {sorted(changed)}, written {sorted(written)}"
    return ""


def _grew(name: str, before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether a ledger holds what it held, and more."""
    return name.endswith("ledger.jsonl") and bytes(after[name]).startswith(before[name])


def restore(home: Path, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Put a folder back as it was before a line wrote there."""
    for name in after.keys() - before.keys():
        path = home / name
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)
    for name, data in before.items():
        if isinstance(data, bytes) and after.get(name) != data:
            (home / name).write_bytes(data)


def ran(words: tuple[str, ...]) -> tuple[int, str, str]:
    """The exit code of a line, what it printed and what it told."""
    streams = sys.stdin, sys.stdout, sys.stderr
    with tempfile.TemporaryDirectory() as made, Path(os.devnull).open() as nothing:
        paths = Path(made, "output"), Path(made, "errors")
        with paths[0].open("w", errors="backslashreplace") as output, paths[1].open("w", errors="replace") as errors:
            sys.stdin, sys.stdout, sys.stderr = nothing, output, errors
            try:
                code = run([*words])
            finally:
                sys.stdin, sys.stdout, sys.stderr = streams
        message, complained = (path.read_bytes().decode(errors="replace") for path in paths)
        return code, message, complained


def subjects() -> list[str]:
    """The names of what is walked over: every command that ends, the options of measures, and all writers."""
    return [*(" ".join(words) for words, _ in commands() if words not in ENDLESS), MEASURES, STOPPED]


def trials(seed: int, number: int, subject: str) -> Iterator[tuple[bytes, Callable[[], bool]]]:
    """Some lines of one command, the same for the same seed, each with how to find out whether it was refused.

    The good lines come first: where these are not answered, bad values in them would prove nothing.
    """
    everywhere = {MEASURES: measure_option_lines, STOPPED: stop_command}
    good, bad = ([], everywhere[subject]()) if subject in everywhere else _lines_of(subject)
    every = [*dict.fromkeys(bad)]
    chosen = [*good, *random.Random(f"{seed} {subject}").sample(every, min(number, len(every)))]
    for (task, room), group in groupby(sorted(chosen, key=place), key=place):
        with folder(task, room) as home:
            before = contents(home)
            for line in group:
                yield repr(line.words).encode(), partial(is_refused, line, home, before)


def _lines_of(subject: str) -> tuple[list[Line], Iterator[Line]]:
    """The good lines of a command, and the bad ones."""
    [(words, app)] = [command for command in commands() if " ".join(command[0]) == subject]
    return [*good_lines(words, app)], lines(words, app)


def place(line: Line) -> tuple[str, str]:
    """The task of a line, and what else stands in the folder where it is typed."""
    return _task(line), line.words[0]


def _task(line: Line) -> str:
    return next((word for word in line.words if word in KEYS), "tagging" if "table.tsv" in line.words else "coref")
