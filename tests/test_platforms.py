"""Commands, Python, reports and the workbench where the system lacks what only Unix has, as far as Linux can show it.

`without_unix/sitecustomize.py` takes it from every process that is started here: modules, functions and constants that
Windows lacks, forks, and moves of open files. What these processes do is done again without, and compared.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from aune.reading import system_names as names
from aune.reports import format_of
from aune.server.workbench import file_exchange, project_export
from tests.server.serving import Client, enter_server, event, layers_of, serving

ROOT = Path(__file__).resolve().parent.parent
BARE = str(ROOT / "tests" / "without_unix")
KEY, RESPONSE = "examples/coref/key.conll", "examples/coref/neural.conll"
TEXT = b"<DOC><DOCNO>away</DOCNO><TEXT><P>Ann met Ben. She liked him.</P></TEXT></DOC>\n"


def run_bare(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": BARE},
    )  # fmt: skip


def run_commands(commands: list[list[str]], folder: Path) -> list[dict[str, object]]:
    """What commands print and return, one after another in one such process."""
    program = f"""
import contextlib, io, json
from aune.cli import run
outcomes = []
for words in {commands!r}:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words)
    outcomes.append({{"code": code, "out": out.getvalue(), "err": err.getvalue()}})
print(json.dumps(outcomes))
"""
    done = run_bare(program, folder)
    assert done.returncode == 0, done.stderr
    outcomes: list[dict[str, object]] = json.loads(done.stdout.splitlines()[-1])
    return outcomes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("bare")
    (home / "examples").symlink_to(ROOT / "examples")
    return home


def test_aune_alone_misses_them(folder: Path) -> None:
    """Every module of aune can be imported there, and none finds what is missing."""
    program = """
import os, pkgutil, importlib, multiprocessing, shutil, signal
assert hasattr(os, "fork") and signal.SIGKILL == 9  # for Python's library
import aune, aune.files, aune.server.spawned_process
assert aune.files.fcntl is None and not aune.server.spawned_process.CAN_FORK
from aune.server.site import Site
os.environ.update(Site(folder="").environment())
import django
django.setup()
for module in pkgutil.walk_packages(aune.__path__, "aune."):
    if not module.name.endswith("__main__") and ".migrations" not in module.name:
        importlib.import_module(module.name)
"""
    done = run_bare(program, folder)
    assert done.returncode == 0, done.stderr


def test_commands_work_and_write_files(folder: Path) -> None:
    commands = [
        ["--help"],
        ["score", "coref", KEY, RESPONSE, "-m", "conll,lea", "--ci"],
        ["score", "coref", KEY, RESPONSE, "-o", "scores.json"],
        ["score", "coref", KEY, RESPONSE, "-o", "scores.json"],
        ["score", "coref", KEY, RESPONSE, "-m", "muc", "--workers", "2"],
        ["compare", "asr", "examples/speech/key.jsonl", "examples/speech/north.jsonl", "examples/speech/south.jsonl"],
        ["convert", "coref", KEY, "new.jsonl"],
        ["report", "coref", KEY, RESPONSE, "-o", "report.html"],
        ["examples", "mine"],
        ["validate", "coref", "nowhere.conll"],
    ]
    outcomes = run_commands(commands, folder)
    assert [outcome["code"] for outcome in outcomes] == [0] * 9 + [3], [outcome["err"] for outcome in outcomes]
    usual = subprocess.run(
        [sys.executable, "-m", "aune", *commands[1]], cwd=folder, capture_output=True, text=True, check=True
    )
    assert usual.stdout == outcomes[1]["out"]
    assert json.loads((folder / "scores.json").read_text())["task"] == "coref"
    assert (folder / "report.html").stat().st_size > 100_000 and (folder / "new.jsonl").exists()
    assert (folder / "mine" / "coref" / "key.conll").exists() and not list(folder.glob(".aune-*"))


def test_python_works(folder: Path) -> None:
    program = f"""
import aune
result = aune.score("coref", {KEY!r}, {RESPONSE!r}, ci=True)
aune.save(result, "run.json")
assert aune.load("run.json")["conll"].f1 == result["conll"].f1
aune.report("coref", {KEY!r}, [{RESPONSE!r}], "python.html")
aune.compare({{"A": "run.json", "B": "run.json"}})
"""
    done = run_bare(program, folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "run.json").exists() and (folder / "python.html").exists()


def test_the_workbench_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Open, annotate, be refused, export, compute in the background, stop."""
    monkeypatch.setenv("PYTHONPATH", BARE)
    with serving(tmp_path / "site", ROOT / KEY) as served:
        me = enter_server(served)
        assert "a limit of time but none of memory" in me.get("/").text
        assert me.upload(("away.sgm", TEXT)).status == 302
        assert "found" in me.upload(("broken.conll", b"#begin document (x);\nx 0 0 Ann (1\n")).text
        (layer,) = layers_of(me, "away").values()
        mention = {"parts": [[0, 3]], "order": 0, "chain": None, "features": {}, "label": ""}
        made = me.post(f"/api/layer/{layer}/events", {"base": 0, "events": [event(["mentions", "m1", mention])]})
        assert made.json == {"version": 1}
        assert b"Ann</" in me.get(f"/layer/{layer}/export").body
        (key,) = layers_of(me, "museum").values()
        assert me.get(f"/layer/{key}/export").body == (ROOT / KEY).read_bytes()
        assert "losses" in wait_for_losses(me, key)
        assert served.stopped() == 0
        assert served.process.stderr is not None and "warning: on this system" in served.process.stderr.read()


def wait_for_losses(me: Client, layer: str) -> str:
    """What the worker computes of a layer."""
    for _ in range(300):
        answer = me.get(f"/api/layer/{layer}/losses")
        if "losses" in answer.text or answer.status >= 400:
            return answer.text
        time.sleep(0.1)
    raise AssertionError(answer.text)


@pytest.mark.parametrize(
    "words",
    [["serve", "--accounts", "--no-browser", "--site", "team"], ["campaign", "new", "task", "--task", "coref"]],
    ids=" ".join,
)
def test_servers_and_campaigns_say_what_they_need(words: list[str], folder: Path) -> None:
    [outcome] = run_commands([words], folder)
    assert outcome["code"] == 2 and "needs Linux" in str(outcome["err"]), outcome
    assert not (folder / "team").exists()


def test_paths_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of systems and formats from paths with backslashes, a drive and capital letters."""
    monkeypatch.setattr(names, "Path", PureWindowsPath)
    monkeypatch.setattr(PureWindowsPath, "exists", lambda self: False, raising=False)
    assert names.system_names([r"C:\runs\A.CONLL", r"out\b.conll.gz", r"best=D:\x\c.conll"]) == {
        "A": r"C:\runs\A.CONLL", "b": r"out\b.conll.gz", "best": r"D:\x\c.conll",
    }  # fmt: skip
    assert names.system_names([r"runs\a=b\c.conll"]) == {"c": r"runs\a=b\c.conll"}
    assert format_of(Path("TABLE.TEX")) == "latex"


def test_endings_in_capital_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As some tools of Windows write them: they mean the same, wherever an ending decides."""
    from aune.cli import run

    monkeypatch.chdir(tmp_path)
    examples = ROOT / "examples"
    for name, source in {
        "KEY.CONLL": "coref/key.conll", "RESPONSE.CONLL": "coref/neural.conll", "TAGS.TSV": "tagging/key.tsv",
        "ENTITIES.NE": "entities/key.ne",
    }.items():  # fmt: skip
        (tmp_path / name).write_bytes((examples / source).read_bytes())
    (tmp_path / "TYPES.TOML").write_bytes((ROOT / "src/aune/typologies/quaero.toml").read_bytes())
    commands = [
        "score coref KEY.CONLL RESPONSE.CONLL --per-unit UNITS.JSONL -o SCORES.JSON",
        "convert coref KEY.CONLL NEW.JSONL",
        "convert coref NEW.JSONL BACK.CONLL --to conll2012",
        "validate entities ENTITIES.NE --typology TYPES.TOML",
        "report coref KEY.CONLL RESPONSE.CONLL -o REPORT.HTML",
        "compare coref KEY.CONLL RESPONSE.CONLL BACK.CONLL -o TABLE.TEX",
    ]
    assert [run(command.split()) for command in commands] == [0] * len(commands)
    assert json.loads((tmp_path / "SCORES.JSON").read_text())["task"] == "coref"
    assert json.loads((tmp_path / "UNITS.JSONL").read_text().splitlines()[0])
    assert (tmp_path / "TABLE.TEX").read_text().startswith("%")


def test_uploads_belong_together_whatever_the_case_of_their_endings() -> None:
    files = [("DOC.ANN", io.BytesIO(b"")), ("DOC.TXT", io.BytesIO(b"Ann")), ("other.txt", io.BytesIO(b"Ben"))]
    grouped = file_exchange.group_companions(files)
    assert [(file.name, sorted(file.beside)) for file in grouped] == [("DOC.ANN", [".txt"]), ("other.txt", [])]


def test_an_archive_has_no_names_that_differ_by_case_alone() -> None:
    """Unpacked on Windows or macOS, one of the files would replace the other."""
    taken: set[str] = set()
    paths = [project_export._free_path(PurePosixPath("keys", name), taken) for name in ("Text.conll", "text.conll")]
    assert [path.name for path in paths] == ["Text.conll", "text-2.conll"]
