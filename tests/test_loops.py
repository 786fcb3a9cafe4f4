"""The GitHub Action and the hook of pre-commit: what they would run is run here, step by step."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
COREF = {"task": "coref", "key": "examples/coref/key.conll", "responses": "examples/coref/neural.conll\n"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    """What a step sees: the command `aune`, and the files of the job."""
    home = folder / "bin"
    home.mkdir(exist_ok=True)
    command = home / "aune"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m aune "$@"\n')
    command.chmod(0o755)
    return {
        "PATH": f"{home}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT / "src"), "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
    }  # fmt: skip


def run_action(folder: Path, **fields: str) -> subprocess.CompletedProcess[str]:
    """The steps of the action as a runner starts them (`bash -e -o pipefail`), apart from the installation."""
    inputs = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()}
    inputs |= {name.replace("_", "-"): value for name, value in fields.items()}
    done = None
    for step in ACTION["runs"]["steps"][1:]:
        values = {name: fill_in(text, inputs) for name, text in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder, env={**environment(folder), **values}, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        if done.returncode:
            break
    assert done is not None
    return done


def fill_in(text: str, inputs: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda name: inputs[name[1]], text)


def test_the_steps_score_and_write(repository: Path) -> None:
    done = run_action(repository, **COREF, measures="conll,lea", options="--digits=1\n", fail_under="conll.f1=80%\n")
    assert done.returncode == 0, done.stderr
    assert (repository / "aune.json").read_text().startswith("{")
    assert (repository / "output").read_text() == "json=aune.json\n"
    assert "| conll " in (repository / "summary").read_text() and "88.5" in done.stdout


def test_a_gate_fails_the_job_after_the_summary_is_written(repository: Path) -> None:
    done = run_action(repository, **COREF, fail_under="conll.f1=95%\nmuc=10%\n", output="scores.json")
    assert done.returncode == 1 and "worse than" in done.stderr
    assert (repository / "scores.json").exists() and "muc" in (repository / "summary").read_text()


def test_inputs_are_never_code(repository: Path) -> None:
    """A file name reaches aune as one argument; nothing of it is run."""
    hostile = {**COREF, "responses": 'x.conll"; touch broken; "\n$(touch broken)\n'}
    done = run_action(repository, **hostile)
    assert done.returncode == 3 and not (repository / "broken").exists()
    scripts = [step["run"] for step in ACTION["runs"]["steps"]]
    assert not [script for script in scripts if "${{" in script], "inputs come through the environment"


def test_the_first_step_installs_what_the_input_names() -> None:
    step = ACTION["runs"]["steps"][0]
    assert fill_in(step["env"]["INSTALL"], {"install": "aune"}) == "aune" and step["run"].endswith('"$INSTALL"')


def test_the_workflow_to_copy_uses_inputs_that_there_are() -> None:
    page = (ROOT / "docs" / "recipes" / "actions.md").read_text("utf-8")
    workflow = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])
    [step] = [step for step in workflow["jobs"]["score"]["steps"] if "/aune@" in step["uses"]]
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert {name for name, entry in ACTION["inputs"].items() if entry.get("required")} <= set(step["with"])
    assert set(ACTION["inputs"]) == set(re.findall(r"`([a-z-]+)`", "".join(re.findall(r"^\| (`.*?) \|", page, re.M))))


def hooks() -> list[tuple[str, list[str]]]:
    """The command of each hook, and its arguments: ours, and those of the page."""
    [own_part] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    page = (ROOT / "docs" / "recipes" / "pre-commit.md").read_text("utf-8")
    configurations: list[Any] = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.S)]
    local, remote = (configuration["repos"][0]["hooks"][0] for configuration in configurations)
    assert remote["id"] == own_part["id"]
    return [(local["entry"], []), (own_part["entry"], remote["args"])]


@pytest.mark.parametrize(("entry", "arguments"), hooks())
def test_the_hooks_check_files(entry: str, arguments: list[str], repository: Path) -> None:
    (repository / "bad.conll").write_text("#begin document (a); part 000\na 0 0 x - - - - - - - (1\n\n#end document\n")
    words = [*shlex.split(entry), *arguments]
    variables = {**os.environ, **environment(repository)}
    results = [
        subprocess.run([*words, *files], cwd=repository, env=variables, capture_output=True, text=True, check=False)
        for files in (["examples/coref/key.conll", "examples/coref/neural.conll"], ["bad.conll"])
    ]
    assert [done.returncode for done in results] == [0, 3]
    assert results[1].stderr.startswith("bad.conll:2:")
