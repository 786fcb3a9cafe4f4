"""Every measure comes from somewhere, and what it comes from can be cited."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from aune.contract import registry
from aune.contract.bibliography import source_text, works, works_behind, works_cited
from aune.contract.measure import Measure

MEASURES = [measure for task in registry.task_names() for measure in registry.measures(task)]
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
NOT_WORKS = {"2012", "2013", "2018", "2022"}  # years that name a campaign beside its paper: CRAC 2022, SemEval 2013


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_every_measure_has_a_source(measure: Measure) -> None:
    source = source_text(measure)
    result = works_behind(measure)
    assert source and result, f"{measure.name}: its docstring names no work of the bibliography: {source!r}"
    named = {work.year for work in result}
    assert set(YEAR.findall(source)) <= named | NOT_WORKS, f"{measure.name}: a year without its work: {source!r}"


def test_every_work_is_the_source_of_something() -> None:
    used = {work.key for measure in MEASURES for work in works_behind(measure)}
    assert set(works()) == used


def test_works_are_found_by_author_and_year() -> None:
    assert [work.key for work in works_behind(registry.measure("coref.muc"))] == ["popescubelis1999", "vilain1995"]
    assert {"mitkov2000", "mitkov2002", "mitkov2002mars", "mitkov1998"} <= {
        work.key for work in works_behind(registry.measure("anaphora.mitkov"))
    }
    mean = registry.measure("mean(muc.f1, lea.f1)", "coref")
    assert [work.key for work in works_cited([mean])] == ["aune", "moosavi2016", "popescubelis1999", "vilain1995"]
    macro = registry.measure("macro(lea, by=document)", "coref")
    assert [work.key for work in works_behind(macro)] == ["moosavi2016"]


def test_entries_are_whole() -> None:
    text = Path(__file__).parents[2].joinpath("src/aune/contract/bibliography.bib").read_text()
    assert len(works()) == len(re.findall(r"^@", text, re.M)), "an entry that the reader does not see"
    for work in works().values():
        assert work.bibtex.count("{") == work.bibtex.count("}") and "title = {" in work.bibtex
        assert work.year or work.keywords


def test_bibtex_reads_every_entry(tmp_path: Path) -> None:
    if not shutil.which("bibtex"):
        pytest.skip("no bibtex here")
    (tmp_path / "works.bib").write_text("\n\n".join(work.bibtex for work in works().values()))
    (tmp_path / "paper.aux").write_text("\\citation{*}\n\\bibstyle{plain}\n\\bibdata{works}\n")
    done = subprocess.run(["bibtex", "paper"], cwd=tmp_path, capture_output=True, text=True, check=False)
    if "couldn't open style file" in done.stdout:
        pytest.skip("bibtex has no styles here")
    assert "error message" not in done.stdout, done.stdout
    listed = (tmp_path / "paper.bbl").read_text()
    assert set(re.findall(r"\\bibitem\{(\w+)\}", listed)) == set(works())
