"""`aune combine` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.cli import run


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    texts = {
        "a.tsv": "la\tD\nmer\tN\n",
        "b.tsv": "la\tP\nmer\tN\n",
        "c.tsv": "la\td\nmer\tn\n",
        "t.tsv": "d\tD\nn\tN\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [str(tmp_path / name) for name in texts]


def test_a_vote(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b, c, table = files
    assert run(["combine", "tagging", a, b, c, "--table", f"c={table}"]) == 0
    assert capsys.readouterr().out == "la\tD\t_\t0.667\nmer\tN\t_\t1.000\n\n"
    out = tmp_path / "out.jsonl"
    assert run(["combine", "tagging", a, b, "--weight", "b=2", "--key", a, "-o", str(out)]) == 0
    assert '"tags": ["P", "N"]' in out.read_text()
    assert run(["score", "tagging", a, str(out), "-m", "accuracy"]) == 0


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--weight", "z=2"], "unknown system 'z'"),
        (["--weight", "a=much"], "expected a number"),
        (["--weight", "2"], "expected NAME=NUMBER"),
        (["--tagset", "none such"], "unknown tagset"),
    ],
)
def test_usage(files: list[str], extra: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["combine", "tagging", *files[:2], *extra]) == 2
    assert message in capsys.readouterr().err


def test_only_tasks_with_a_vote(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["combine", "anaphora", files[0]]) == 2
    assert "no way to combine" in capsys.readouterr().err


def test_disagreements_for_correction(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "open.tsv"
    assert run(["combine", "tagging", *files[:2], "-o", str(tmp_path / "made.tsv"), "--disagreements", str(out)]) == 0
    assert out.read_text() == "document\tplace\tword\tagreement\ta\tb\tcontext\na\t1\tla\t0.500\tD\tP\t[ la ] mer\n"


def test_entities(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, tags in {"a": "B-A O B-B", "b": "B-A O O", "c": "O B-C O"}.items():
        (tmp_path / f"{name}.conll").write_text("".join(f"w{n}\t{tag}\n" for n, tag in enumerate(tags.split())))
    files = [str(tmp_path / f"{name}.conll") for name in "abc"]
    open_ = tmp_path / "open.tsv"
    assert run(["combine", "entities", *files, "--disagreements", str(open_)]) == 0
    assert capsys.readouterr().out.startswith("# newdoc id = a\nw0\tB-A\nw1\tO\nw2\tO\n")
    assert open_.read_text().splitlines()[1:] == [
        "a\t1\t2\tC\t0.333\tno\tno\tyes\tw1", "a\t2\t3\tB\t0.333\tyes\tno\tno\tw2",
        "a\t0\t1\tA\t0.667\tyes\tyes\tno\tw0",
    ]  # fmt: skip
    assert run(["combine", "entities", *files, "--least", "0"]) == 0
    assert "B-C" in capsys.readouterr().out
    assert run(["combine", "entities", *files, "--tagset", "upos"]) == 2
    assert "unknown option of combine entities 'tagset'" in capsys.readouterr().err


def test_where_disagreements_cannot_be_written_nothing_is(files: list[str], tmp_path: Path) -> None:
    made = tmp_path / "made.tsv"
    assert run(["combine", "tagging", *files[:2], "-o", str(made), "--disagreements", "/dev/full"]) == 2
    assert not made.exists()


def test_no_file_that_is_there_is_written_over(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    a, b, c, _ = files
    assert run(["combine", "tagging", a, b, "-o", c]) == 2
    assert "is there already" in capsys.readouterr().err
    assert run(["combine", "tagging", a, b, "--disagreements", c, "--key", c]) == 2
    assert "is one of the inputs" in capsys.readouterr().err
    assert run(["combine", "tagging", "-", a, b]) == 2
    assert "goes to standard output unless -o" in capsys.readouterr().err
    vote = str(tmp_path / "vote.tsv")
    assert run(["combine", "tagging", vote, a, b]) == 2
    assert capsys.readouterr().err == (
        f"aune: {vote}: no such file: to write it, type aune combine tagging {a} {b} -o {vote}\n"
    )
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before
    assert run(["combine", "tagging", a, b, "-o", "/dev/null"]) == 0
