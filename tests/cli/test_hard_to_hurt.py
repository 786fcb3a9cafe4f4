"""Around the commands: nothing foreign runs, nothing is overwritten, every exit has its code and its line."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings

import aune
from aune.campaign.runs import jobs
from aune.campaign.scaffold import create_campaign
from aune.cli import run
from tests.foreign import Planted

AUNE = [str(Path(sys.executable).with_name("aune"))]
MODULE = [sys.executable, "-m", "aune"]
SAFE = [sys.executable, "-P", "-m", "aune"]


@pytest.fixture
def folder(tmp_path: Path, examples: Path) -> Path:
    """A folder with a key and a response to work in."""
    for name in ("key.conll", "strings.conll"):
        shutil.copy(examples / "coref" / name, tmp_path)
    return tmp_path


def ran(folder: Path, *words: str, command: list[str] = AUNE, **streams: object) -> subprocess.CompletedProcess[str]:
    options = {"capture_output": True, **streams}
    if "stdout" in streams:
        options = {"stderr": subprocess.PIPE, **streams}
    return subprocess.run([*command, *words], cwd=folder, text=True, timeout=120, check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("command", [AUNE, MODULE, SAFE], ids=["aune", "python -m", "python -P -m"])
def test_no_file_of_the_working_folder_stands_in_for_a_package(folder: Path, command: list[str]) -> None:
    for name in ("org", "sklearn", "cairosvg", "numpy", "pandas", "dask"):
        (folder / f"{name}.py").write_text(f"print('FOREIGN: {name}')\n")
    process = ran(folder, "score", "coref", "key.conll", "strings.conll", command=command)
    assert "FOREIGN" not in process.stdout + process.stderr
    assert process.returncode == 0


@pytest.mark.parametrize(
    "line",
    [
        "score coref key.conll strings.conll",
        "score coref key.conll strings.conll --workers 2",
        "report coref key.conll strings.conll -o page.html --draws 50",
        "figure recall-precision coref key.conll strings.conll -o figure.svg --draws 50",
        "campaign score campaign --workers 2",
    ],
)
def test_no_file_of_the_working_folder_stands_in_for_any_module(folder: Path, line: str) -> None:
    """Nor in the processes that a command starts, which Python lets look there first."""
    if line.startswith("campaign"):
        _with_a_run(folder / "campaign")
    planted = Planted(folder)
    process = ran(folder, *line.split())
    assert (process.returncode, planted.ran()) == (0, []), process.stderr


def _with_a_run(folder: Path) -> None:
    campaign = create_campaign(folder, "demo", "tagging")
    for phase in ("training", "dry run"):
        campaign.begin_phase(phase)
    team = campaign.register("Alpha").id
    campaign.accept_licence(team)
    campaign.receive(team, "try", "one", "run.tsv", (folder / "keys" / "try.tsv").read_bytes())


def test_a_measure_of_one_s_own_is_found_in_the_working_folder(folder: Path) -> None:
    (folder / "own.py").write_text("from aune.tasks.coref.measures.muc import MEASURE\n")
    assert ran(folder, "score", "coref", "key.conll", "strings.conll", "-m", "own:MEASURE").returncode == 0


def test_outputs_that_cannot_be(folder: Path) -> None:
    before = (folder / "key.conll").read_bytes()
    reasons = {
        "key.conll": "one of the inputs", "strings.conll": "one of the inputs", ".": "a folder",
        "no/where": "no folder", "/dev/full": "No space", "x" * 300: "too long",
    }  # fmt: skip
    for output, reason in reasons.items():
        process = ran(folder, "score", "coref", "key.conll", "strings.conll", "--format", "csv", "-o", output)
        assert (process.returncode, reason in process.stderr) == (2, True), process.stderr
        assert len(process.stderr.splitlines()) == 1, process.stderr
    assert (folder / "key.conll").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["key.conll", "strings.conll"]


@pytest.mark.parametrize(
    "line",
    [
        "score coref {0} strings.conll --format json -o {0}",
        "report coref strings.conll {0} -o {0} --draws 20",
        "figure kinds coref strings.conll {0} -o {0}",
        "errors coref {0} strings.conll -o {0}",
        "compare coref {0} strings.conll a={0} -o {0} --draws 20",
        "convert coref {0} {0} --to jsonlines",
        "combine coref {0} strings.conll -o {0}",
        "combine coref {0} strings.conll -o vote.conll --disagreements {0}",
        "baseline coref same_string {0} {0}",
        "describe coref {0} -o {0}",
    ],
)
@pytest.mark.parametrize("name", ["key.conll", "link", "folder/../key.conll", "hard"])
def test_no_output_is_an_input_under_whatever_name(
    folder: Path, line: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With an ending that the writer takes: not refused for that."""
    ending = {"report": ".html", "figure": ".svg"}.get(line.split(maxsplit=1)[0], ".json")
    key = (folder / "key.conll").rename(folder / f"key{ending}")
    (folder / f"link{ending}").symlink_to(key)
    (folder / f"hard{ending}").hardlink_to(key)
    (folder / "folder").mkdir()
    before = contents_of(folder)
    monkeypatch.chdir(folder)
    output = name.removesuffix(".conll") + ending
    first, _, last = line.rpartition("{0}")
    words = (first.format(key.name) + output + last.format(output)).split()
    assert run(words) == 2
    assert "one of the inputs" in capsys.readouterr().err
    assert contents_of(folder) == before


@pytest.mark.parametrize("other", ["vote.tsv", "./vote.tsv", "link.tsv"])
def test_two_outputs_are_never_one_file(folder: Path, examples: Path, other: str) -> None:
    """The second would be written over the first."""
    (folder / "link.tsv").symlink_to("vote.tsv")
    responses = [str(examples / "tagging" / name) for name in ("neural.tsv", "rules.tsv")]
    process = ran(folder, "combine", "tagging", *responses, "-o", "vote.tsv", "--disagreements", other)
    assert (process.returncode, (folder / "vote.tsv").exists()) == (2, False)
    assert "twice" in process.stderr


TWICE = "#begin document ({}); part 000\nn 0 0 a (1)\n\n#end document\n"


def contents_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("convert coref both.conll brat --to brat", "would both be"),
        ("convert coref both.conll new/brat --to brat", "would both be"),
        ("convert coref both.conll coref --to brat", "would both be"),
        ("convert coref key.conll key.conll/x --to brat", "there is no folder|cannot be written"),
        ("score coref key.conll strings.conll --rows rows -m muc.nothing", "unknown"),
        ("score coref key.conll strings.conll --rows rows -o /dev/full", "No space left"),
        ("score coref key.conll strings.conll --rows rows -o rows/result.json", "there is no folder"),
        ("speech downstream said.jsonl said:T=a.jsonl --projected . --typology quaero", "is one of the inputs"),
        ("speech downstream said.jsonl a:T=a.jsonl --projected new --typology quaero -o /dev/full", "No space left"),
        ("combine coref vote.conll key.conll strings.conll --disagreements no/where", "there is no folder"),
    ],
)
def test_of_a_command_that_fails_nothing_is_left(folder: Path, examples: Path, line: str, reason: str) -> None:
    for name in ("said.jsonl", "a.jsonl"):
        shutil.copy(examples / "papers" / name, folder)
    (folder / "both.conll").write_text(TWICE.format("a") + TWICE.format("A"))
    for name in ("brat", "coref"):
        (folder / name).mkdir()
        (folder / name / "a.ann").write_text("old")
    before = contents_of(folder)
    process = ran(folder, *line.split())
    assert (process.returncode, contents_of(folder)) == (2, before), process.stderr
    assert re.search(reason, process.stderr)
    assert not (folder / "new").exists() and not (folder / "rows").exists()


def test_a_handout_is_no_place_for_other_files(folder: Path) -> None:
    _with_a_run(folder / "campaign")
    (folder / "out").mkdir()
    (folder / "out" / "licence.txt").write_text("mine")
    process = ran(folder, "campaign", "handout", "campaign", "try", "out")
    assert process.returncode == 2 and "something already" in process.stderr
    assert contents_of(folder / "out") == {"licence.txt": b"mine"}


@pytest.mark.parametrize("columns", ["0", "1", "2"])
def test_help_ends_in_the_narrowest_terminal(folder: Path, columns: str) -> None:
    process = ran(folder, "score", "--help", env={**os.environ, "COLUMNS": columns})
    assert (process.returncode, process.stdout.split()[:3]) == (0, ["Usage:", "aune", "score"])


def test_streams_that_are_full_closed_or_left(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        process = ran(folder, "score", "coref", "key.conll", "strings.conll", stdout=full)
    assert (process.returncode, process.stderr) == (2, "aune: standard output: No space left on device\n")
    words = "score coref key.conll strings.conll"
    for line, code in ((f"{words} >&-", 0), (f"{words} 2>&-", 0), (f"{words} <&-", 0)):
        process = ran(folder, "-c", f"{AUNE[0]} {line}", command=["sh"])
        assert process.returncode == code, process.stderr
    left = ran(folder, "-c", f"{AUNE[0]} --help | head -1; exit ${{PIPESTATUS[0]}}", command=["bash"])
    assert (left.returncode, left.stderr) == (0, "")


SOURCE = Path(aune.__file__).parent
RUNNING = {
    "eval", "exec", "compile", "__import__", "import_string", "run_path", "run_module", "spec_from_file_location",
}  # fmt: skip
READING_CODE = {"pickle", "marshal", "shelve", "yaml", "dill", "joblib", "cloudpickle"}
OUR_WORKERS = {"evaluation/engines/processes.py", "evaluation/engines/dask.py", "evaluation/job_serialization.py"}
"""They exchange pickles with processes that aune itself started, or with the cluster that the user names."""
IMPORTERS = {
    "contract/registry.py": "what lies in aune, and the module:ATTRIBUTE that a user types",
    "results/result.py": "a library of data frames, out of a list",
    "cli/_application.py": "the commands of aune",
}
RUNNERS = {"campaign/runs/scorer_execution.py": "the organiser's own scorer, in a process that its sandbox contains"}


@cache
def calls(path: Path) -> list[tuple[str, str, ast.Call]]:
    """Every call of a file: the name that is called, with and without what stands before it."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    return [(whole, whole.rpartition(".")[2], node) for node in nodes for whole in [ast.unparse(node.func)]]


def imported_names(path: Path) -> list[str]:
    """Every module that a file imports, or names out of: `from pickle import loads` is no call that tells."""
    nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
    whole = [item.name for node in nodes if isinstance(node, ast.Import) for item in node.names]
    return whole + [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]


def is_of_aune(name: ast.expr) -> bool:
    """Whether what is imported is a module of aune, or one that the code itself names."""
    return isinstance(name, ast.Constant) or ast.unparse(name).startswith(("f'aune.", 'f"aune.', "f'{__name__}."))


def test_no_pickle_eval_or_import_named_by_data() -> None:
    """In every room: only what a user types is imported by its name, and only our own workers exchange pickles."""
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        for whole, called, node in calls(path):
            runs = name not in RUNNERS and (whole in RUNNING or called in RUNNING - {"compile"})  # of patterns
            pickles = whole.partition(".")[0] in READING_CODE and name not in OUR_WORKERS
            imports = called == "import_module" and not is_of_aune(node.args[0]) and name not in IMPORTERS
            trusts = any(word.arg == "allow_pickle" and ast.unparse(word.value) != "False" for word in node.keywords)
            if runs or pickles or imports or trusts:
                wrong.append(f"{name}:{node.lineno}: {ast.unparse(node)[:80]}")
        if name not in OUR_WORKERS:
            wrong += [
                f"{name}: {module}" for module in imported_names(path) if module.partition(".")[0] in READING_CODE
            ]
    assert not wrong, "\n".join(wrong)
    assert "signed_cookies" in settings.SESSION_ENGINE and "Pickle" not in settings.SESSION_SERIALIZER


WRITING = {
    "write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "savetxt", "to_csv", "to_parquet", "savefig",
    "ParquetWriter", "write_table", "copyfile", "copy2", "copytree", "move", "rmtree", "mkstemp", "extractall",
}  # fmt: skip
OTHER_DOORS = {
    "files.py": "the door itself",
    "reading/conversion.py": "a temporary folder, where what was written is read back",
    "results/storage.py": "the new file that the door puts in place",
    "campaign/archive/archive_builder.py": "the new file that the door puts in place",
    "campaign/archive/campaign_backup.py": "a temporary file that goes through the door; a new "
    "folder that goes if anything fails",
    "campaign/runs/codabench.py": "the working folder of a platform's container",
    "campaign/disputes/resolution.py": "a temporary folder",
    "campaign/runs/jobs.py": "the room of one job, removed after it",
    "campaign/runs/job_folders.py": "the room of one job, removed after it",
    "campaign/keys/key_files.py": "a temporary folder",
    "campaign/ledger/ledger_file.py": "lines that are added and synced, under a lock",
    "campaign/publication/board_index.py": "a new folder that gets its name when it is whole, and can be made again",
    "campaign/publication/outbox.py": "an empty file that is locked",
    "store.py": "files named by what they hold, synced before they have their name",
    "campaign/runs/submission_checks.py": "a temporary folder, or the room of a job",
    "campaign/archive/verification.py": "a temporary folder",
    "campaign/runs/scoring_process.py": "the room of one job",
    "sandbox.py": "the room of one job, removed when nobody waits for it",
    "corrections/key_revision.py": "a temporary folder",
    "evaluation/job_serialization.py": "a temporary folder of a worker",
    "reports/units.py": "the new file that the door puts in place",
    "server/site_backup.py": "a temporary file that goes through the door",
    "server/site.py": "what was made for a new site that cannot be started, taken away again",
    "server/workbench/sandbox_tasks.py": "a temporary folder",
    "workbench/files.py": "a temporary folder, where what was converted is read back",
}
"""Who writes a file otherwise than through files.py, and why nothing can be lost or torn there."""


def test_every_writer_goes_through_the_one_door() -> None:
    writers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for whole, called, node in calls(path)
        if called in WRITING
        or (called == "open" and any(re.fullmatch("'[wax][bt+:gz]*'", ast.unparse(mode)) for mode in modes(node)))
        or (called == "replace" and "." in whole and len(node.args) == 1 and not node.keywords)  # a path, no string
    }
    assert writers == OTHER_DOORS.keys(), "go through files.py, or say here why nothing is lost"


def modes(opening: ast.Call) -> list[ast.expr]:
    return [*opening.args, *(word.value for word in opening.keywords if word.arg == "mode")]


def test_a_loop_of_links_that_was_typed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`Path.resolve` raises what is no OSError there."""
    (tmp_path / "loop").symlink_to("loop")
    create_campaign(tmp_path / "campaign", "demo", "tagging")
    for line in (["campaign", "backup", tmp_path / "campaign"], ["site", "restore", tmp_path / "campaign"]):
        assert run([*map(str, line), str(tmp_path / "loop")]) in (2, 3)
        assert "bug" not in capsys.readouterr().err


def test_every_table_for_spreadsheets_is_made_harmless() -> None:
    writers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for whole, called, _ in calls(path)
        if whole.startswith("csv.") and "writer" in called.lower()
    }
    formats = {"tasks/speech/formats/table.py"}  # utterances, which are read back as they were
    assert writers - formats == {"reports/delimited.py"}, "use reports/delimited.py"


def test_all_json_for_people_steers_no_terminal() -> None:
    rooms = ("cli/", "reports/")
    writers = {
        name
        for path in SOURCE.rglob("*.py")
        for whole, _, _ in calls(path)
        if whole == "json.dumps" and (name := path.relative_to(SOURCE).as_posix()).startswith(rooms)
    }
    pages = {name for name in writers if name.startswith("reports/page/")}  # browsers read it
    assert writers - pages == {"reports/json.py"}, "use reports/json.py"


NASTY = "\x1b[31m=1+1"


def test_what_strangers_sent_to_a_campaign_is_shown_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(jobs, "run_spawned", jobs.run_forked)
    campaign = create_campaign(tmp_path / "campaign", "demo", "tagging")
    for phase in ("training", "dry run"):
        campaign.begin_phase(phase)
    team = campaign.register("a =1+1", country="a =1+1")
    campaign.accept_licence(team.id)
    good = (tmp_path / "campaign" / "keys" / "try.tsv").read_bytes()
    sent = [
        campaign.receive(team.id, "try", "one", NASTY, good),
        campaign.receive(team.id, "try", "two", NASTY, b"\x1b"),
    ]
    assert jobs.score_waiting(campaign) == {"scored": 1, "refused": 1}
    campaign.begin_phase("dry adjudication")
    edit = '{"word": 0, "tags": "X"}'
    here, own_options = str(tmp_path / "campaign"), ["--as", "a =1+1"]
    lines = [
        *(["status", here, receipt.submission, *own_options] for receipt in sent),
        *(["publish", here, "try", *own_options, "--format", form] for form in ("table", "json", "csv", "markdown")),
        *(["dispute", here, "try", name, edit, "--argument", NASTY, "--team", "a =1+1"] for name in ("try", NASTY)),
        ["show", here], ["participants", here, "--as", "organiser"], ["disputes", here], ["verify", here],
        ["accept", here, f"{NASTY}?"], ["baseline", here, NASTY, "try"], ["handout", here, NASTY, str(tmp_path / "x")],
    ]  # fmt: skip
    for line in lines:
        code = run(["campaign", *line])
        printed = capsys.readouterr()
        assert code in (0, 2), (line, printed.err)
        assert "\x1b" not in printed.out + printed.err, line
        assert not re.search("(^|,)=1", printed.out, re.MULTILINE), line
