"""Every command with every kind of bad path and bad value, drawn from the command line's own description.

A command, an argument or an option of a task that is added is walked over by itself; nothing is listed here but good
values for what a command must be given, so that the bad value is reached.
"""

from __future__ import annotations

import atexit
import gzip
import lzma
import os
import random
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, get_args

from cyclopts import App

from aune.campaign import backups
from aune.campaign.distribution import handout
from aune.campaign.phases import PHASES
from aune.campaign.policy import THE_ORGANISER
from aune.campaign.starting import founded
from aune.cli import run
from aune.cli._application import application
from aune.core import registry
from aune.core.asked import takers_of
from aune.server.site import Site
from aune.server.starting import at

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KEYS = {
    "anaphora": ("key.tsv", "careful.tsv"), "coref": ("key.conll", "strings.conll"),
    "entities": ("key.conll", "rules.conll"), "speech": ("key.trn", "response.trn"),
    "tagging": ("key.tsv", "rules.tsv"),
}  # fmt: skip
GOOD = {
    "task": "{task}", "key": "key", "source": "key", "training": "key", "held_out": "key", "corpus": "key",
    "response": "response", "responses": "response other", "files": "key other", "inputs": "key response",
    "file": "key", "target": "out", "table": "table.tsv", "upstream": "scores.csv", "downstream": "scores.csv",
    "--parameter": "decay=0.5", "--output": "out", "--mentions": "5", "--key-chains": "2", "--samples": "2",
    "--size": "2", "--draws": "20", "--model": "model", "--rounds": "2", "--to": "{to}",
}  # fmt: skip
ALWAYS = {"--to", "--samples", "--size", "--draws", "--rounds"}
"""Options that make a line short work, or one that can be answered at all."""
TO = {"anaphora": "jsonlines", "coref": "jsonlines", "entities": "jsonl", "speech": "manifest", "tagging": "jsonl"}
GOOD_OF_ROOM = {
    "campaign": {
        "folder": "campaign", "place": "campaign", "data": "try", "--data": "try", "team": "Alpha", "--team": "Alpha",
        "phase": "dry-adjudication", "file": "run.tsv", "--handout": "handout", "document": "b", "source": "backup",
        "--task": "tagging", "consent": "yes",
    },
    "site": {"folder": "site", "source": "backup"},
}  # fmt: skip
"""What differs for the commands of a campaign and of a site."""
LATE = {"archive", "publish", "codabench"}
"""Commands of a campaign that has come to its end."""
NAMES = {"baseline": "singletons", "explain": "{task}.f_measure", "figure": "scores"}
"""What the argument NAME of a command is."""

NUMBERS = ["-1", "-0.5", "inf", "-inf", "nan", "1e999", "9" * 30, "", " ", "x", "1,5", "--", "1 2"]
NEVER = {"inf", "-inf", "nan", "1e999", "", " ", "x", "1,5", "1 2"}
"""What no number of ours may be: refused with exit code 2."""
TEXTS = [
    "", " ", "x", "-", "-1", "nan", "\x1b[31mred", "[bold]x[/", "{0}%s", "=", "a=b", "a=", "=b", ",", ",,", "(", "f(",
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
MEASURES = "options of measures"
ENDLESS = {("serve",), ("campaign", "serve")}
"""Commands that go on until they are stopped: tests/server looks after them."""
INPUTS = {"key", "response", "other", "table.tsv", "scores.csv"}


class Line(NamedTuple):
    """What was typed, the value in it that is bad, and the exit codes that are an answer to it."""

    words: tuple[str, ...]
    bad: str
    codes: tuple[int, ...]


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
    every = app.assemble_argument_collection()
    arguments = [one for one in every if one.parameter.parse is not False and not one.children]
    names = {_name(one) for one in arguments}
    for task in registry.task_names() if "task" in names else ["coref"]:
        needed = [one for one in arguments if one.required or one.index is not None or _name(one) in ALWAYS]
        good = {_name(one): _good(words, one, task) for one in needed}
        for one in arguments:
            name = _name(one)
            if name == "--[KEYWORD]":
                for option in _options(task):
                    yield from _typed(words, good, f"--{option.replace('_', '-')}", "", TEXTS + NUMBERS, CODES)
            elif _kinds(one.hint) & {int, float}:
                yield from _typed(words, good, name, "", [bad for bad in NUMBERS if bad in NEVER], {2})
                yield from _typed(words, good, name, "", [bad for bad in NUMBERS if bad not in NEVER], CODES)
            elif bool in _kinds(one.hint):
                yield from _typed(words, good, name, "=", NUMBERS, CODES)
            else:
                yield from _typed(words, good, name, "", TEXTS + PATHS, CODES)
                if str in _kinds(one.hint) and one.parameter.validator and not one.parameter.converter:
                    yield from _typed(words, good, name, "", NO_TEXT, {2})


def measured() -> Iterator[Line]:
    """Every bad value of every option of every measure."""
    for task in registry.task_names():
        for measure in registry.measures(task):
            good = {"task": task, "key": "key", "responses": "response", "--measures": measure.name}
            for name, option in measure.options.items():
                bad = NUMBERS if _kinds(option.type) & {int, float} else TEXTS + PATHS
                yield from _typed(("score",), good, f"--{name.replace('_', '-')}", "", bad, CODES)


def _options(task: str) -> list[str]:
    """The options of a task and of its formats."""
    home = registry.task(task)
    return [*takers_of([home.compare, *(form.read for form in registry.formats(task))])]


def _name(argument: Any) -> str:
    return argument.name if argument.name.startswith("-") else argument.name.lower()


def _good(words: tuple[str, ...], argument: Any, task: str) -> str:
    name = _name(argument)
    if name == "name":
        return NAMES.get(words[-1], "x").format(task=task)
    literals = [value for value in get_args(argument.hint) if isinstance(value, str)]
    if words[-1] in ("restore", "new") and name == "folder":
        return "out"
    if words[-1] in LATE and name in ("folder", "data"):
        return {"folder": "ended", "data": "final"}[name]
    if name in (room := GOOD_OF_ROOM.get(words[0], {})):
        return room[name]
    return GOOD.get(name, literals[0] if literals else "x").format(task=task, to=TO[task])


def _typed(
    words: tuple[str, ...], good: dict[str, str], name: str, joined: str, bad: list[str], codes: set[int]
) -> Iterator[Line]:
    for value in bad:
        values = {**good, name: value}
        positional = [
            word
            for one, text in values.items()
            if not one.startswith("-")
            for word in ([text] if one == name else text.split())
        ]
        flags = [
            part
            for one, text in values.items()
            if one.startswith("-")
            for part in ([f"{one}={text}"] if joined and one == name else [one, text])
        ]
        yield Line((*words, *positional, *flags), f"{' '.join(words)} {name} {value[:40]!r}", tuple(sorted(codes)))


def _kinds(hint: Any) -> set[Any]:
    return {hint} | {kind for inside in get_args(hint) for kind in _kinds(inside)}


@contextmanager
def folder(task: str, room: str = "") -> Iterator[Path]:
    """A folder to work in, with good files of a task and bad ones of every kind; and a campaign, or a site."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as made:
        home = _home_of_the_site() if room == "site" else _filled(Path(made), task)
        if room == "campaign":
            shutil.copytree(_campaigns(), home, dirs_exist_ok=True)
        os.chdir(home)
        try:
            yield home
        finally:
            os.chdir(before)


def _filled(home: Path, task: str) -> Path:
    for target, name in zip(("key", "response", "other"), (*KEYS[task], KEYS[task][1]), strict=True):
        shutil.copy(EXAMPLES / task / name, home / target)
    shutil.copy(EXAMPLES / "tagging" / "table.tsv", home)
    shutil.copy(EXAMPLES / "papers" / "table-2-1.csv", home / "scores.csv")
    _bad_files(home)
    return home


@cache
def _home_of_the_site() -> Path:
    """A folder with an empty site and a backup of it: one for all lines, as a process has one database."""
    home = _filled(_lasting(), "coref")
    with at(Site(folder=str(home / "site"), accounts=True)):
        pass
    assert ran(("site", "backup", str(home / "site"), str(home / "backup")))[0] == 0
    return home


@cache
def _campaigns() -> Path:
    """A campaign in its dry run with one team, a run for it and a backup of it; and one that has come to its end."""
    home = _lasting()
    campaign = founded(home / "campaign", "demo", "tagging")
    for phase in ("training", "dry run"):
        campaign.go_to(phase)
    campaign.accept_licence(campaign.register("Alpha").id)
    backups.backed_up(campaign, home / "backup")
    for name, content in handout(campaign, THE_ORGANISER, "try").items():
        path = home / "handout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    shutil.copy(home / "campaign" / "keys" / "try.tsv", home / "run.tsv")
    ended = founded(home / "ended", "demo", "tagging")
    for phase in PHASES[1:]:
        ended.go_to(phase)
    return home


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


def refused(line: Line, home: Path, before: dict[str, Any]) -> bool:
    """Whether a line was refused, once it is sure that it was answered as it must be."""
    try:
        code, output, errors = ran(line.words)
    finally:
        after = contents(home)
        restore(home, before, after)
    complaint = wrong(line, before, after, code, output, errors)
    assert not complaint, f"{line.bad}: {complaint}"
    return code not in (0, 1)


def wrong(line: Line, before: dict[str, Any], after: dict[str, Any], code: int, output: str, errors: str) -> str:
    """What is wrong with how a line was answered, or '' when all is well."""
    told = [one for one in errors.splitlines() if not one.startswith(("aune: warning:", "aune: … and"))]
    if code not in line.codes:
        return f"exit {code}, expected {line.codes}: {errors[-600:]}"
    if "Traceback" in errors:
        return errors[-600:]
    if any(sign in output + errors for sign in ("\x1b", "\0")):
        return f"a control character was sent to the terminal: {(output + errors)[-300:]!r}"
    if code in (2, 4) and (len(told) != 1 or output):
        return f"exit {code} with {len(told)} lines, {len(output)} characters of output: {errors[-600:]}"
    if code == 3 and not told:
        return "exit 3 without a word"
    read = {name for name in INPUTS if line.words.count(name) > line.bad.endswith(f" {name!r}")}
    kept = before if code not in (0, 1) else read
    changed = {name for name in kept if after.get(name) != before[name]}
    if changed or (code not in (0, 1) and after.keys() - before.keys()):
        return f"exit {code}, changed {sorted(changed)}, written {sorted(after.keys() - before.keys())}"
    return ""


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
        told, complained = (path.read_bytes().decode(errors="replace") for path in paths)
        return code, told, complained


def subjects() -> list[str]:
    """The names of what is walked over: every command that ends, and the options of measures."""
    return [*(" ".join(words) for words, _ in commands() if words not in ENDLESS), MEASURES]


def trials(seed: int, count: int, subject: str) -> Iterator[tuple[bytes, Callable[[], bool]]]:
    """Some lines of one command, the same for the same seed, each with how to find out whether it was refused."""
    every = [*dict.fromkeys(measured() if subject == MEASURES else _lines_of(subject))]
    chosen = random.Random(f"{seed} {subject}").sample(every, min(count, len(every)))
    for task, group in groupby(sorted(chosen, key=_task), key=_task):
        with folder(task, subject.partition(" ")[0]) as home:
            before = contents(home)
            for line in group:
                yield repr(line.words).encode(), partial(refused, line, home, before)


def _lines_of(subject: str) -> Iterator[Line]:
    [(words, app)] = [one for one in commands() if " ".join(one[0]) == subject]
    return lines(words, app)


def _task(line: Line) -> str:
    return next((word for word in line.words if word in KEYS), "tagging" if "table.tsv" in line.words else "coref")
