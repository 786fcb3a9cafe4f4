"""Two shared tasks in a real browser, from the public page to an archive that is verified elsewhere.

One is like those of SemEval: open registration, two tracks, primary runs, metadata, a scorer of the organisers, a
dispute, a disqualification, an open phase. One is like those of CLEF: audio behind a licence, a key that nobody
publishes, a DOI.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aune import sandbox
from aune.campaign.archive.verification import verify_folder
from aune.campaign.scaffold import create_campaign
from tests.campaign.runs.test_scorer_execution import PROGRAM, TABLE
from tests.server.campaign.conftest import WAIT, send_messages, team
from tests.server.campaign.test_browser import Person, next_phase, wait_for_scores
from tests.server.serving import Client, accept_invitation, serving

NAMES = "Cleo\tB-PER\nmet\tO\nDan\tB-PER\nin\tO\nRome\tB-LOC\n.\tO\n\nAcme\tB-ORG\nhired\tO\nher\tO\n.\tO\n"
TRACK = """
[[data]]
name = "names"
phase = "test"
key = "keys/names.conll"
track = "names"

[[tracks]]
name = "names"
title = "Named entities"
task = "entities"
scoring = { ranking = "f_measure", unit = "sentence", draws = 100, rank = "primary" }

[open]
data = ["final"]

[[metadata]]
name = "resources"
title = "Resources"
required = true
"""


def shared_task(folder: Path, task: str, changes: dict[str, str], more: str = "") -> None:
    """The folder of a campaign without a dry run, which everybody can apply to."""
    create_campaign(folder, "demo", task)
    text = (folder / "campaign.toml").read_text("utf-8")
    usual = {
        'registration = "invitation"': 'registration = "approval"', "draws = 10000": "draws = 100",
        "[phases]\n": '[phases]\ntraining = false\n"dry run" = false\n',
    }  # fmt: skip
    for old, new in {**usual, **changes}.items():
        assert old in text, old
        text = text.replace(old, new, 1)
    (folder / "campaign.toml").write_text(text + more, "utf-8")
    (folder / "licence.txt").write_text("For research only.\n", "utf-8")


def enters(visitor: Person, organiser: Person, name: str) -> None:
    """A visitor asks to take part, is invited, and registers a team that may be named."""
    visitor.go("/campaign/")
    visitor.click("Ask to take part")
    visitor.page.fill("input[name=team]", name)
    visitor.page.fill("input[name=email]", "ann@example.org")
    visitor.press("Ask")
    visitor.waits_for("Thank you")
    organiser.go("/campaign/public")
    organiser.press("Invite")
    link = re.search(r"http\S+/invitation/[\w-]+", organiser.page.content())
    assert link
    organiser.go("/campaign/")
    visitor.take(link[0], "Annabel")
    visitor.page.fill("input[name=name]", name)
    visitor.press("Register")
    visitor.press("We accept the licence")
    visitor.page.select_option("select[name=consent]", "named")
    visitor.press("Say so")


def sends(speaker: Person, dataset: str, path: Path, run: str = "run") -> None:
    """A run, with what the organisers ask about it; the page says in the end that it is valid."""
    speaker.click("Your team")
    form = speaker.page.locator(f"form[action='/campaign/submit/{dataset}']")
    form.locator("input[name=run]").fill(run)
    for field in form.locator("textarea").all():
        field.fill("no other texts")
    form.locator("input[name=file]").set_input_files(path)
    form.get_by_role("button", name="Submit").click()
    speaker.waits_for(": valid")


def fetch_archive(client: Client, target: Path) -> Path:
    """The archive as one file, in another folder than the campaign's."""
    for _ in range(WAIT * 4):
        answer = client.get("/campaign/archive")
        if answer.status == 200:
            target.write_bytes(answer.body)
            return target
        time.sleep(0.5)
    raise AssertionError("no archive")


needs_sandbox = pytest.mark.skipif(bool(why := sandbox._obstacle("bubblewrap")), reason=f"no bubblewrap: {why}")


@needs_sandbox
def test_a_task_like_those_of_semeval(browser: Any, tmp_path: Path, write_page: Callable[[str, str], Path]) -> None:
    folder = tmp_path / "campaign"
    shared_task(folder, "tagging", {'ranking = "precision_decision"': 'ranking = "scorer"',
                                    "\n[scoring.options]": f"{TABLE}\n[scoring.options]"}, TRACK)  # fmt: skip
    (folder / "keys/names.conll").write_text(NAMES, "utf-8")
    (folder / "scorer").mkdir()
    (folder / "scorer/score.py").write_text(PROGRAM, "utf-8")
    key = (folder / "keys/final.tsv").read_text("utf-8")
    with serving(folder, "--accounts") as served:
        chair = accept_invitation(served, served.printed, "Josette")
        organiser, speaker = Person(browser, served.address, chair), Person(browser, served.address)
        organiser.go("/campaign/public")
        organiser.page.fill("form[action='/campaign/public/about'] textarea", "# Words and names\n\nA *small* task.")
        organiser.press("Show it")
        enters(speaker, organiser, "Les Bleus")
        rival = team(served, chair, "Otto", "Open Lab")
        next_phase(organiser, "test")
        sends(speaker, "final", write_page("good.tsv", key), "good")
        assert not speaker.sees("Scores"), "the test tells only that a run is valid"
        sends(speaker, "final", write_page("bad.tsv", key.replace("DET", "ADV")), "bad")
        speaker.click("Your team")
        speaker.page.locator("tr", has_text="good").get_by_role("link").click()
        speaker.press("Make it our primary run")
        sends(speaker, "names", write_page("names.conll", NAMES.replace("B-ORG", "B-PER")))
        for run, text in (("run", key.replace("NOUN", "VERB")), ("other", key.replace("VERB", "NOUN"))):
            send_by_program(rival, "final", run, text.encode())
        wait_for_scores(organiser)
        next_phase(organiser, "test adjudication")
        organiser.go("/campaign/submissions")
        organiser.page.locator("tr", has_text="other").get_by_role("link").click()
        organiser.page.get_by_text("Disqualify this run").click()
        organiser.page.fill("input[name=reason]", "trained on the test")
        organiser.press("Disqualify it")
        claims(speaker, organiser)
        speaker.click("Your team")
        speaker.press("We looked at our results and stand by them")
        for phase in ("publication", "archive", "open"):
            next_phase(organiser, phase)
        mended = key.replace("cat\tNOUN", "cat\tADJ")
        sends(speaker, "final-open", write_page("late.tsv", mended), "late")
        assert speaker.sees("Scores"), "everybody sees them at once"
        visitor = Person(browser, served.address)
        visitor.go("/campaign/results/final-open")
        visitor.waits_for("Les Bleus / late")
        visitor.looks_right("open-board")
        visitor.go("/campaign/results/final")
        visitor.waits_for("trained on the test")
        assert visitor.sees("Les Bleus / good") and not visitor.sees("late") and not visitor.sees("Open Lab")
        visitor.looks_right("own-scorer")
        archive = fetch_archive(served.stranger(), tmp_path / "elsewhere.zip")
        for person in (organiser, speaker, visitor):
            person.is_clean()
    report = verify_folder(archive)
    assert report.problems == [] and any("numbers, computed again" in line for line in report.checked), report


@pytest.fixture
def write_page(tmp_path: Path) -> Callable[[str, str], Path]:
    """`written(name, text)`: a file with a text."""

    def write(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text, "utf-8")
        return tmp_path / name

    return write


def send_by_program(client: Client, dataset: str, run: str, data: bytes) -> None:
    client.get("/campaign/team")
    fields = {"run": run, "meta-resources": "none"}
    answer = send_messages(client, f"/campaign/submit/{dataset}", "run.tsv", data, {}, **fields)
    assert answer.status == 302, answer.text


def claims(speaker: Person, organiser: Person) -> None:
    """A dispute about the key, which is accepted; every run is scored again."""
    speaker.click("Disputes")
    speaker.click("The key of final")
    speaker.page.fill("input[name=find]", "cat")
    speaker.press("Show")
    speaker.click("dispute cat")
    speaker.page.fill("input[name=value]", "ADJ")
    speaker.page.fill("textarea[name=argument]", "it says how")
    speaker.press("Claim")
    organiser.click("Disputes")
    article = organiser.page.locator("article").filter(has_text="it says how")
    article.locator("input[name=reason]").fill("so it is")
    with organiser.page.expect_navigation():
        article.get_by_role("button", name="Accept").click()
    organiser.press("Make a new key of final")
    wait_for_scores(organiser)


def test_a_task_like_those_of_clef(browser: Any, tmp_path: Path, write_page: Callable[[str, str], Path]) -> None:
    folder = tmp_path / "campaign"
    shared_task(folder, "speech", {'# "test key" = "never"': '"test key" = "never"'})
    key = (folder / "keys/final.jsonl").read_text("utf-8")
    with serving(folder, "--accounts") as served:
        chair = accept_invitation(served, served.printed, "Josette")
        organiser, speaker = Person(browser, served.address, chair), Person(browser, served.address)
        organiser.go("/campaign/public")
        offer = organiser.page.locator("form[action='/campaign/public/attach']")
        offer.locator("input[name=file]").set_input_files(write_page("audio.wav", "RIFF soundsofspeech"))
        offer.locator("input[name=title]").fill("The recordings")
        offer.locator("select[name=phase]").select_option("test")
        offer.locator("select[name=audience]").select_option("teams")
        offer.locator("input[name=licence]").check()
        organiser.press("Offer it")
        enters(speaker, organiser, "Les Bleus")
        assert not speaker.sees("The recordings")
        next_phase(organiser, "test")
        speaker.click("Campaign")
        with speaker.page.expect_download() as download:
            speaker.page.get_by_role("link", name="The recordings").click()
        assert "soundsofspeech" in Path(download.value.path()).read_text("utf-8")
        sends(speaker, "final", write_page("run.jsonl", key.replace("nine", "five")))
        wait_for_scores(organiser)
        next_phase(organiser, "test adjudication")
        speaker.click("Campaign")
        speaker.click("Results: final")
        speaker.waits_for("Les Bleus / run")
        speaker.click("Your team")
        speaker.press("We looked at our results and stand by them")
        next_phase(organiser, "publication")
        organiser.go("/campaign/public")
        organiser.page.fill("input[name=doi]", "10.5281/zenodo.1234567")
        organiser.press("Keep")
        next_phase(organiser, "archive")
        visitor = Person(browser, served.address)
        visitor.go("/campaign/")
        assert visitor.sees("10.5281/zenodo.1234567") and not visitor.sees("The recordings")
        assert served.stranger().get("/campaign/files/audio.wav").status == 404
        archive = fetch_archive(served.stranger(), tmp_path / "elsewhere.zip")
        for person in (organiser, speaker, visitor):
            person.is_clean()
    assert_unpublished(archive, tmp_path / "unpacked")


def assert_unpublished(archive: Path, folder: Path) -> None:
    """The archive is verified, and has neither the key, nor the texts, nor runs, nor the recordings."""
    import zipfile

    report = verify_folder(archive)
    assert report.problems == [] and any("not published" in note for note in report.notes), report
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"soundsofspeech" not in everything and b"leaves at" not in everything
