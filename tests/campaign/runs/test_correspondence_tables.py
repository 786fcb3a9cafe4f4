from __future__ import annotations

from pathlib import Path

from aune.campaign.runs.correspondence_tables import identity_problems, table_problems
from aune.tasks.tagging.grace.tagset import tagset
from aune.tasks.tagging.model import documents

RUN = documents([("le", "D"), ("chat", "N|V"), ("dort", "V")])


def test_a_table_is_checked_against_the_run_and_the_pivot(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("D\tDET\nN\tNOUN|PROPN\nQ\tNOWHERE\n")
    problems, notes = table_problems(str(path), "mine.tsv", RUN, tagset("upos"))
    assert [str(problem).split(", expected")[0] for problem in problems] == [
        "mine.tsv:1:1: found no entry for the tag 'V', which the run uses 2 times",
        "mine.tsv:3:1: found 'NOWHERE', which the pivot does not have",
    ]
    assert notes == [
        "entries of the table that the run never uses: Q",
        "tags that stand for several of the pivot's: N (2)",
    ]


def test_the_paper_s_table_fits_the_pivot(data: Path) -> None:
    from aune.contract import registry
    from aune.reading.corpus import read

    home = data / "tagging/grace-like"
    run = read(registry.task("tagging"), str(home / "sys2_crf_ftbtags.tsv")).documents
    problems, notes = table_problems(str(home / "table_ftb2grace.tsv"), "t.tsv", run, tagset("grace"))
    assert problems == []
    assert notes[0] == "entries of the table that the run never uses: DETWH, I"


def test_an_identity_is_declared_by_its_tags() -> None:
    assert [problem.message.split(",")[0] for problem in identity_problems("run.tsv", RUN, tagset("upos"))] == [
        "found the tag 'D' (1 times)", "found the tag 'N' (1 times)", "found the tag 'V' (2 times)",
    ]  # fmt: skip
    assert identity_problems("run.tsv", documents([("le", "DET")]), tagset("upos")) == []
    assert identity_problems("run.tsv", RUN, None) == []
