"""`aune convert`: nothing is lost in silence, and the same format keeps every byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple, Protocol

import pytest

from aune.cli import run
from aune.contract import registry


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


class Aune(Protocol):
    def __call__(self, *arguments: str) -> Outcome: ...


@pytest.fixture
def run_aune(capfd: pytest.CaptureFixture[str]) -> Aune:
    def call(*arguments: str) -> Outcome:
        return Outcome(run(arguments), *capfd.readouterr())

    return call


TASKS = Path(__file__).parents[1] / "tasks"
SAMPLES = TASKS / "coref" / "formats" / "samples"
FILES = [
    path
    for path in sorted(TASKS.glob("*/formats/samples/*"))
    if path.suffix != ".txt" or not path.with_suffix(".ann").exists()
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-4]}.{path.name}")
def test_the_same_format_keeps_every_byte(run_aune: Aune, tmp_path: Path, path: Path) -> None:
    """Where an annotation can be put into a file; elsewhere nothing is lost."""
    task, form = path.parts[-4], path.name.partition("-")[0]
    target = tmp_path / path.name
    code, out, err = run_aune("convert", task, str(path), str(target), "--from", form, "--to", form)
    if registry.format(task, form).write is None:
        assert code == 2 and "expected --to with one of" in err
        return
    assert (code, out) == (0, "") and "lost" not in err
    if registry.format(task, form).splice is not None:
        assert target.read_bytes() == path.read_bytes()
    if form == "brat":
        assert target.with_suffix(".txt").read_bytes() == path.with_suffix(".txt").read_bytes()


def test_brat_is_written_with_its_text(run_aune: Aune, tmp_path: Path) -> None:
    source = tmp_path / "a.conll"
    source.write_text("#begin document (a);\nAnn (1)\nmet -\nher (1)\n\n#end document\n")
    assert run_aune("convert", "coref", str(source), str(tmp_path / "a.ann")) == (0, "", "")
    assert (tmp_path / "a.txt").read_text() == "Ann met her"
    assert (tmp_path / "a.ann").read_text().startswith("T1\tMention 0 3\tAnn\nT2\tMention 8 11\ther\n")
    code, _, err = run_aune("convert", "coref", str(source), "-", "--to", "brat")
    assert code == 2 and "name a file" in err


def test_several_documents_of_brat_go_to_a_folder(run_aune: Aune, tmp_path: Path) -> None:
    source = tmp_path / "a.chains"
    source.write_text("# document x\n1 2\n# document y\n3\n")
    assert run_aune("convert", "coref", str(source), str(tmp_path / "out"), "--to", "brat").code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["x.ann", "x.txt", "y.ann", "y.txt"]


def test_no_input_is_overwritten_under_another_name(run_aune: Aune, tmp_path: Path) -> None:
    """Not the key that is laid under, nor a text that is to be read where brat puts one, nor a file of a folder."""
    (tmp_path / "key.jsonl").write_text('{"doc_key": "d", "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]}\n')
    (tmp_path / "a.txt").write_text("1 2\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "d.jsonl").write_bytes((tmp_path / "key.jsonl").read_bytes())
    key, text, folder = (str(tmp_path / name) for name in ("key.jsonl", "a.txt", "in"))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for words in (
        (f"{folder}/d.jsonl", key, "--onto", key), (folder, f"{folder}/d.jsonl"),
        (text, str(tmp_path / "a.ann"), "--from", "partition"),
    ):  # fmt: skip
        code, _, err = run_aune("convert", "coref", *words)
        assert code == 2 and "is one of the inputs" in err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_two_documents_of_one_file_are_refused(run_aune: Aune, tmp_path: Path) -> None:
    record = '{"doc_key": "%s", "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]}\n'
    (tmp_path / "a.jsonl").write_text(record % "x/y" + record % "x_y")
    code, _, err = run_aune(
        "convert", "coref", str(tmp_path / "a.jsonl"), str(tmp_path / "new" / "out"), "--to", "brat"
    )
    assert (code, "would both be x_y.ann" in err) == (2, True)
    assert not (tmp_path / "new").exists()


def test_the_file_to_read_is_never_overwritten(run_aune: Aune, tmp_path: Path) -> None:
    source = tmp_path / "a.chains"
    source.write_text("1 2\n")
    code, _, err = run_aune("convert", "coref", str(source), str(source))
    assert code == 2 and "is one of the inputs" in err
    assert source.read_text() == "1 2\n"


def test_what_was_done_as_json(run_aune: Aune, tmp_path: Path) -> None:
    source, target = str(tmp_path / "a.conll"), str(tmp_path / "a.chains")
    Path(source).write_text("#begin document (a);\nAnn (1)\nmet -\nher (1)\n\n#end document\n")
    code, out, err = run_aune("convert", "coref", source, target, "--json")
    data = json.loads(out)
    assert (code, data["from"], data["to"], data["documents"], data["target"]) == (
        0,
        "conll2012",
        "partition",
        1,
        target,
    )
    assert err.count("lost") == len(data["lost"]) > 0
    assert run_aune("convert", "coref", source, "-", "--to", "partition", "--json").code == 2


def test_what_a_folder_cannot_hold_is_said_once(run_aune: Aune, tmp_path: Path) -> None:
    source = tmp_path / "a.conllu"
    head = "# newdoc id = {0}\n# global.Entity = eid-etype-head-other\n# genre = {0}\n"
    text = "1\tAnn\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-person-1-x)\n\n"
    source.write_text("".join(head.format(name) + text for name in "abc"))
    code, _, err = run_aune("convert", "coref", str(source), str(tmp_path / "out"), "--to", "brat")
    kinds = [line.partition("cannot represent ")[2].partition(":")[0] for line in err.splitlines()]
    assert code == 0 and len(kinds) == len(set(kinds)) and "3 lost" in err
