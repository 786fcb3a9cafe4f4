"""The visibility matrix: who gets what from every address of a campaign, in every phase.

The addresses come from the URL configuration: one without a row fails. Names of unnamed teams, tags of hidden keys and
scores of the test are canaries, which sing in no answer, header or error that the policy forbids.
"""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest

from aune.campaign.jobs import work
from aune.campaign.phases import PHASES, since
from aune.campaign.starting import founded
from aune.campaign.verification import verified
from aune.server.campaign.urls import urlpatterns
from tests.server.campaign.conftest import Hosted, peopled
from tests.server.serving import serving

VISITOR, OTHER, OWN, ANNOTATOR, ORGANISER = "visitor", "other team", "own team", "annotator", "organiser"
ALL = {VISITOR, OTHER, OWN, ANNOTATOR, ORGANISER}
TEAMS = {OTHER, OWN}


def always(*who: str) -> dict[str, set[str]]:
    return {phase: set(who) for phase in PHASES}


def from_on(**first: str) -> dict[str, set[str]]:
    """Who sees it from which phase on; a blank is written _."""
    seen = {who.replace("_", " "): phase for who, phase in first.items()}
    return {phase: {who for who, begins in seen.items() if since(phase, begins)} for phase in PHASES}


SEEN: dict[str, dict[str, set[str]]] = {
    "campaign/": always(*ALL),
    "campaign/protocol": always(*ALL),
    "campaign/licence": always(*ALL),
    "campaign/team": always(OTHER, OWN),
    "campaign/texts/train": from_on(organiser="training", own_team="training", other_team="training"),
    "campaign/texts/try": from_on(organiser="dry run", own_team="dry run", other_team="dry run", annotator="dry run"),
    "campaign/texts/final": from_on(organiser="test", own_team="test", other_team="test", annotator="test"),
    "campaign/submission/TRY": from_on(own_team="dry run", organiser="dry run"),
    "campaign/submission/FINAL": from_on(own_team="test", organiser="test"),
    "campaign/results/try": from_on(organiser="dry run", own_team="dry adjudication", other_team="dry adjudication"),
    "campaign/results/final": from_on(
        organiser="test",
        own_team="test adjudication",
        other_team="test adjudication",
        visitor="publication",
        annotator="publication",
    ),
    "campaign/participants": from_on(
        organiser="call",
        own_team="publication",
        other_team="publication",
        visitor="publication",
        annotator="publication",
    ),
    "campaign/archive": {phase: ALL if phase == "archive" else set() for phase in PHASES},
    "campaign/changes": from_on(
        organiser="call",
        own_team="dry adjudication",
        other_team="dry adjudication",
        visitor="publication",
        annotator="publication",
    ),
    "campaign/key/try": from_on(
        organiser="dry run", annotator="dry run", own_team="dry adjudication", other_team="dry adjudication"
    ),
    "campaign/key/final": from_on(
        organiser="test", annotator="test adjudication", own_team="test adjudication", other_team="test adjudication"
    ),
    "campaign/disputes": always(OTHER, OWN, ORGANISER),
    "campaign/annotate": always(ANNOTATOR, ORGANISER),
    "campaign/notices": always(OTHER, OWN, ORGANISER, ANNOTATOR),
    "campaign/report/TRY": from_on(own_team="dry adjudication", organiser="dry run", other_team="archive"),
    "campaign/report/FINAL": from_on(
        own_team="test adjudication", organiser="test", other_team="archive", visitor="archive", annotator="archive"
    ),
    "campaign/keys": always(ORGANISER),
    "campaign/keys/train": always(),  # nothing was adjudicated here; test_keying takes a key
    "campaign/drawn/x": always(),  # tags are not drawn; test_drawing draws entities
    "campaign/manage": always(ORGANISER),
    "campaign/submissions": always(ORGANISER),
    "api/campaign/": always(*ALL),
    "api/campaign/submission/FINAL": from_on(own_team="test", organiser="test"),
    "api/campaign/submission/TRY": from_on(own_team="dry run", organiser="dry run"),
}
POSTED = {
    "campaign/register", "campaign/team/<str:what>", "campaign/submit/<str:dataset>", "campaign/claim",
    "campaign/draw/<str:dataset>", "campaign/drawn/<str:layer>/claim", "campaign/keys/<str:dataset>/take",
    "campaign/notices/send", "campaign/notices/address", "campaign/join", "campaign/annotate/assign",
    "campaign/disputes/<str:dispute>/decide", "campaign/rekey/<str:dataset>", "campaign/manage/<str:what>",
    "api/campaign/submit/<str:dataset>",
}  # fmt: skip
"""Addresses that change things: they take POST alone, and each has its test in test_pages."""


def pattern_of(address: str) -> str:
    for known in ("train", "try", "final"):
        address = address.removesuffix(f"/{known}") + ("/<str:dataset>" if address.endswith(f"/{known}") else "")
    address = address.replace("drawn/x", "drawn/<str:layer>")
    for known in ("TRY", "FINAL"):
        address = address.replace(known, "<str:submission>")
    return address


def test_every_address_has_a_row() -> None:
    addresses = {str(one.pattern) for one in urlpatterns}
    assert addresses == {pattern_of(address) for address in SEEN} | POSTED


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("matrix") / "campaign"
    founded(folder, "demo", "tagging")
    with serving(folder, "--accounts") as served:
        yield peopled(served, folder)


@pytest.fixture(scope="module")
def surprises(matrix: Hosted) -> list[str]:
    """What was not as expected in a walk of all viewers through all phases and addresses."""
    viewers = {
        VISITOR: matrix.visitor, OTHER: matrix.two, OWN: matrix.one, ANNOTATOR: matrix.annotator,
        ORGANISER: matrix.organiser,
    }  # fmt: skip
    ids = {"TRY": "s-none", "FINAL": "s-none"}
    wrong: list[str] = []
    for phase in PHASES:
        if phase != "call":
            matrix.phase(phase)
        submitted(matrix, phase, ids)
        for address, rows in SEEN.items():
            path = "/" + address.replace("TRY", ids["TRY"]).replace("FINAL", ids["FINAL"])
            for who, client in viewers.items():
                answer = matrix.board(client, path.rpartition("/")[2]) if "results" in path else client.get(path)
                expected = (200, 202) if who in rows[phase] else (404,)
                if answer.status not in expected:
                    wrong.append(f"{phase}: {who}: {path} is {answer.status}, expected {expected}")
                heard = f"{answer.headers}{answer.text if answer.headers['Content-Type'] != 'application/zip' else ''}"
                if who not in (OWN, ORGANISER) and "anar" in heard:
                    wrong.append(f"{phase}: {who}: {path} names the unnamed team")
                if who not in (OWN, ORGANISER) and not since(phase, "test adjudication") and "0.7272" in heard:
                    wrong.append(f"{phase}: {who}: {path} tells a score of the test")
                if who == OWN and phase == "test" and "0.7272" in heard:
                    wrong.append(f"{phase}: {who}: {path} tells a team its score of the test")
    return wrong


def test_the_matrix(surprises: list[str]) -> None:
    assert not surprises, "\n".join(surprises)


def submitted(matrix: Hosted, phase: str, ids: dict[str, str]) -> None:
    """Both teams send a run in the phases that take them; the unnamed team's has 8 of 11 words of the test right."""
    dataset = {"dry run": "try", "test": "final"}.get(phase)
    if dataset is None:
        return
    key = Path(matrix.folder, "keys", f"{dataset}.tsv").read_bytes()
    answer = key.replace(b"DET", b"X") if dataset == "try" else key.replace(b"DET", b"X").replace(b"ADV", b"X")
    own = matrix.submit(matrix.one, dataset, answer, name="canary.tsv", run="canary")
    matrix.submit(matrix.two, dataset, key)
    work(matrix.campaign)
    ids[{"try": "TRY", "final": "FINAL"}[dataset]] = own


@pytest.mark.usefixtures("surprises")
def test_the_archive_that_is_fetched_can_be_verified(matrix: Hosted, tmp_path: Path) -> None:
    """In the last phase everybody gets it; the unnamed team is nowhere in it."""
    while (answer := matrix.visitor.get("/campaign/archive")).status == HTTPStatus.ACCEPTED:
        time.sleep(0.2)  # boards and pages are being made
    zipfile.ZipFile(io.BytesIO(answer.body)).extractall(tmp_path)
    assert verified(tmp_path).problems == []
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"anary" in path.read_bytes()]


@pytest.mark.usefixtures("surprises")
def test_not_there_and_not_yours_are_the_same(matrix: Hosted) -> None:
    """In status, headers and size, but for what changes with every answer."""
    [yours] = [one.id for one in matrix.campaign.state.submissions.values() if one.run == "canary"][:1]
    for client in (matrix.two, matrix.visitor, matrix.annotator):
        hidden, missing = (client.get(f"/campaign/submission/{name}") for name in (yours, "s-" + "0" * 16))
        assert hidden.status == missing.status == 404
        assert len(hidden.body) == len(missing.body)
        assert set(hidden.headers) == set(missing.headers)
