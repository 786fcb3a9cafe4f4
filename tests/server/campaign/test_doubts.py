"""From doubts to a rescored campaign: the list, questions in the browser, a new version of the key, every run again."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from aune.campaign.scaffold import create_campaign
from aune.cli import run
from aune.corrections.item_edits import edit_documents
from aune.corrections.key_revision import edit_key, parse_review
from aune.errors import UsageError
from tests.server.campaign.conftest import Hosted, fill_campaign, send_messages
from tests.server.serving import serving

BROWSING = sys.modules["browsing"]
KEY = b"Ben\tB-PER\nleft\tO\nNew\tB-LOC\nYork\tI-LOC\n.\tO\n"
PATIENCE = 60_000  # milliseconds
LOOKS = ((390, "light"), (1400, "dark"))


@pytest.fixture(scope="module")
def hosted_campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """Two runs: one says what the key should say, the other what it says."""
    folder = tmp_path_factory.mktemp("doubtful") / "campaign"
    create_campaign(folder, "demo", "entities")
    with serving(folder, "--accounts") as served:
        people = fill_campaign(served, folder)
        for phase in ("training", "dry run"):
            people.phase(phase)
        people.submit(people.one, "try", KEY.replace(b"LOC", b"ORG"), name="right.conll")
        people.submit(people.two, "try", KEY, name="wrong.conll")
        people.phase("dry adjudication")
        yield people


def newest_key(hosted: Hosted) -> bytes:
    here = hosted.campaign
    return here.store.get(here.state.keys["try"][-1].digest)


def doubt_list(hosted: Hosted, folder: Path) -> Path:
    """The list of the command line about the newest key."""
    paths = {"key": newest_key(hosted), "right": KEY.replace(b"LOC", b"ORG")}
    for name, data in paths.items():
        (folder / f"{name}.conll").write_bytes(data)
    listed = folder / "doubts.json"
    listed.unlink(missing_ok=True)
    assert run(["doubts", "entities", *(str(folder / f"{name}.conll") for name in paths), "-o", str(listed)]) == 0
    return listed


def review(listed: Path, **changes: str) -> dict[str, Any]:
    data = json.loads(listed.read_text())
    [first] = [row for row in data["doubts"] if row["key"].endswith("LOC")]
    answer = {"document": first["document"], "edit": first["edit"], "decision": "accepted", "reason": "a company"}
    return {"task": data["task"], "sha256": data["key"]["sha256"], "answers": [{**answer, **changes}]}


def test_answers_and_the_file_of_a_key_make_its_new_version(hosted_campaign: Hosted, tmp_path: Path) -> None:
    answers = review(doubt_list(hosted_campaign, tmp_path))
    key = (tmp_path / "key.conll").read_bytes()
    answer = _send_key(hosted_campaign, key, answers)
    assert answer.status == 200, answer.text
    with zipfile.ZipFile(io.BytesIO(answer.body)) as packed:
        corrected, record = packed.read("key.conll"), json.loads(packed.read("corrections.json"))
    assert corrected == key.replace(b"LOC", b"ORG")
    assert (record["before"], record["after"]) == (sha256(key).hexdigest(), sha256(corrected).hexdigest())
    assert (record["author"], record["answers"][0]["reason"]) == ("Olga", "a company")
    assert record["answers"][0]["correction"] == "2–4 LOC becomes ORG"
    for refused in (
        review(tmp_path / "doubts.json", reason=" "),
        review(tmp_path / "doubts.json", decision="kept"),
        {},
    ):
        assert _send_key(hosted_campaign, key, refused).status == 422
    assert "about the key with the digest" in _send_key(hosted_campaign, key + b"\n", answers).text
    assert hosted_campaign.one.get("/doubts/").status == 404


def _send_key(hosted: Hosted, key: bytes, answers: dict[str, Any]) -> Any:
    assert hosted.organiser.get("/doubts/").status == 200
    more = {"key": ("key.conll", key)}
    return send_messages(hosted.organiser, "/doubts/key", "list.json", b"{}", more, answers=json.dumps(answers))


def test_words_of_transcripts_are_corrected_from_the_end() -> None:
    answers = [
        {"document": "u", "edit": {"words": [start, start + 1], "text": text}, "decision": "accepted", "reason": "x"}
        for start, text in ((0, "a b"), (2, "c d"))
    ]
    message = parse_review(json.dumps({"task": "speech", "sha256": "0" * 64, "answers": answers}))
    edits = [(answer.document, answer.edit) for answer in message.corrections]
    assert edit_key("speech", "key.trn", b"x y z (u)\n", "", {}, edits).data == b"a b y c d (u)\n"
    with pytest.raises(UsageError, match="no correction is accepted"):
        parse_review(json.dumps({"task": "speech", "sha256": "0" * 64, "answers": []}))
    with pytest.raises(UsageError):
        edit_documents("speech", [], "u", {})


def test_from_doubts_to_a_rescored_campaign(browser: Any, hosted_campaign: Hosted, tmp_path: Path) -> None:
    """In a browser: the list opens as questions, an answer makes the new version, the ranks of the runs move."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.add_cookies(
        [
            {"name": item.name, "value": item.value, "url": hosted_campaign.served.address}
            for item in hosted_campaign.organiser.jar
        ]
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    visit = BROWSING.Visit(page)
    page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    page.goto(f"{hosted_campaign.served.address}/campaign/disputes")
    assert "in the version" not in page.content()
    page.get_by_role("link", name="Doubtful items of the key of try, as questions").click()
    page.set_input_files("#list", doubt_list(hosted_campaign, tmp_path))
    page.get_by_text("it would change: right +").wait_for()
    look(page, visit, "doubts")
    page.get_by_role("button", name="Make the new version").click()
    page.get_by_text("Accept a correction first.").wait_for()
    question = page.locator("#questions li", has_text="New York LOC")
    question.get_by_role("radio", name="becomes ORG").check()
    question.get_by_role("textbox").fill("the company is meant")
    page.get_by_text("1 correction, 0 times the key is right.").wait_for()
    page.reload()
    page.set_input_files("#list", tmp_path / "doubts.json")
    page.get_by_text("1 correction, 0 times the key is right.").wait_for()
    page.get_by_role("button", name="Make the new version").click()
    page.get_by_text("1 correction, the largest effects first").wait_for()
    look(page, visit, "rescored")
    table = page.locator("table").inner_text()
    assert "2 → 1" in table and "1 → 2" in table and "+50.00" in table and "-50.00" in table
    assert "becomes ORG" in page.locator("main ul").inner_text()
    assert visit.complaints == []
    assert newest_key(hosted_campaign) == KEY.replace(b"LOC", b"ORG")
    [dispute] = hosted_campaign.campaign.state.disputes.values()
    assert (dispute.author, dispute.reason, dispute.decision) == ("Olga", "the company is meant", "accepted")
    for submission in hosted_campaign.campaign.state.submissions:
        hosted_campaign.ended(hosted_campaign.organiser, submission)
    context.close()


def look(page: Any, visit: Any, name: str) -> None:
    """On a phone in the light, on a screen in the dark: no violation, nothing wider than that."""
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} at {width}"
        assert visit.violations() == [], f"{name} at {width}"
        visit.keep(f"{name}-{width}-{scheme}")
