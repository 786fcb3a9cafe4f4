"""The visibility matrix: who gets what from every address of the site, in every phase.

The addresses come from the URL configuration: one without a row fails. Names of unnamed teams, tags of hidden keys,
texts of the workbench and scores of the test are canaries, which sing in no answer, header, error or file that the
policy forbids. What changes something is refused to whoever may not do it, and leaves nothing.
"""

from __future__ import annotations

import io
import os
import re
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
from aune.server.urls import urlpatterns
from tests.server.campaign.conftest import Hosted, peopled
from tests.server.serving import Answer, Client, layers_of, serving

VISITOR, OTHER, OWN, ANNOTATOR, ORGANISER = "visitor", "other team", "own team", "annotator", "organiser"
ALL = {VISITOR, OTHER, OWN, ANNOTATOR, ORGANISER}
TEAMS = {OTHER, OWN}


FULL = bool(os.environ.get("AUNE_FULL"))


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
POSTED: dict[str, set[str]] = {
    "campaign/register": set(),  # they all have a team, or can have none
    "campaign/join": set(),
    "campaign/team/licence": TEAMS,
    "campaign/submit/final": TEAMS,
    "campaign/claim": {*TEAMS, ORGANISER},
    "campaign/draw/final": {*TEAMS, ORGANISER},
    "campaign/drawn/x/claim": set(),
    "campaign/keys/final/take": {ORGANISER},
    "campaign/notices/send": {ORGANISER},
    "campaign/notices/address": {*TEAMS, ORGANISER, ANNOTATOR},
    "campaign/annotate/assign": {ORGANISER},
    "campaign/disputes/x/decide": {ORGANISER},
    "campaign/rekey/final": {ORGANISER},
    "campaign/manage/phase": {ORGANISER},
    "api/campaign/submit/final": TEAMS,
}
"""Addresses of the campaign that change things, and who may; each has its test in test_pages."""
OPEN = {"enter", "another", "sign-in", "sign-out", "invitation/<str:secret>"}
"""Addresses that let people in and out: tests/server/accounts has them."""
ROOMS: dict[str, set[str]] = {
    "account": {*TEAMS, ANNOTATOR, ORGANISER},
    "people": {ORGANISER},
    "statistics/": {*TEAMS, ANNOTATOR, ORGANISER},  # of the texts that one sees: none
    "skeleton/": {*TEAMS, ANNOTATOR, ORGANISER},  # chains that one types oneself
    "skeleton/export": {*TEAMS, ANNOTATOR, ORGANISER},
    "api/skeleton": {*TEAMS, ANNOTATOR, ORGANISER},
}
"""Addresses of accounts and of the workbench, whatever the phase; those of the workbench that are not here are all for
annotators and organisers alone."""


def site() -> list[str]:
    """Every address of the site, by the URL configuration."""
    return [str(one.pattern) for room in urlpatterns for one in room.url_patterns]


def pattern_of(address: str) -> str:
    for known in ("train", "try", "final"):
        address = re.sub(f"/{known}\\b", "/<str:dataset>", address)
    address = address.replace("drawn/x", "drawn/<str:layer>").replace("disputes/x", "disputes/<str:dispute>")
    address = address.replace("team/licence", "team/<str:what>").replace("manage/phase", "manage/<str:what>")
    for known in ("TRY", "FINAL"):
        address = address.replace(known, "<str:submission>")
    return address


def test_every_address_has_a_row() -> None:
    campaign = {address for address in site() if "campaign/" in address}
    assert campaign == {pattern_of(address) for address in (*SEEN, *POSTED)}


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("matrix") / "campaign"
    founded(folder, "demo", "tagging")
    for name, (tag, canary) in HIDDEN_TAGS.items():
        path = folder / "keys" / f"{name}.tsv"
        path.write_bytes(path.read_bytes().replace(tag, canary, 1))
    with serving(folder, "--accounts") as served:
        yield peopled(served, folder)


HIDDEN_TAGS = {"try": (b"VERB", b"SYM"), "final": (b"ADV", b"INTJ")}
"""A tag of each key that no run has: the usual one, and the one that is in the key instead."""
KNOWS_THE_KEY = {
    "SYM": from_on(annotator="call", own_team="dry adjudication", other_team="dry adjudication", visitor="archive"),
    "INTJ": from_on(
        annotator="test adjudication", own_team="test adjudication", other_team="test adjudication", visitor="archive"
    ),
}
LONG = re.compile(r"[\w:-]{30,}")  # digests and tokens of forms, in which anything may stand by chance


def heard(answer: Answer) -> str:
    """Everything in an answer that could tell something, the files of an archive too."""
    text = answer.body.decode("utf-8", "replace")
    if answer.headers["Content-Type"] == "application/zip":
        with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
            text = "\n".join(
                [*archive.namelist(), *(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())]
            )
    return LONG.sub("", f"{answer.headers}{text}")


@pytest.fixture(scope="module")
def surprises(matrix: Hosted) -> list[str]:
    """What was not as expected in a walk of all viewers through all phases and addresses."""
    viewers = {
        VISITOR: matrix.visitor, OTHER: matrix.two, OWN: matrix.one, ANNOTATOR: matrix.annotator,
        ORGANISER: matrix.organiser,
    }  # fmt: skip
    ids = {"TRY": "s-none", "FINAL": "s-none"}
    matrix.organiser.upload(("secret.sgm", b"<DOC><DOCNO>secret-text</DOCNO><TEXT>Ann.</TEXT></DOC>\n"))
    [source] = layers_of(matrix.organiser, "secret-text").values()
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
                wrong += [f"{phase}: {who}: {path} {tells}" for tells in sung(who, phase, heard(answer))]
        wrong += [f"{phase}: {one}" for one in forged(matrix, viewers)]
        if FULL or phase in ("call", "test adjudication", "archive"):  # those rooms know no phase
            wrong += [f"{phase}: {one}" for one in entered(matrix, viewers, source)]
    return wrong


def sung(who: str, phase: str, text: str) -> Iterator[str]:
    """What somebody hears that is not for them."""
    if who not in (OWN, ORGANISER) and "anar" in text:
        yield "names the unnamed team"
    is_told = since(phase, "test adjudication") or who == ORGANISER
    if not is_told and "0.7272" in text:
        yield "tells a score of the test"
    for canary, known in KNOWS_THE_KEY.items():
        if who != ORGANISER and who not in known[phase] and canary in text:
            yield f"tells a tag of a key, {canary}"


def forged(matrix: Hosted, viewers: dict[str, Client]) -> Iterator[str]:
    """What is done by posting where one may not: nothing, and nobody learns what is there."""
    before = deeds(matrix)
    for address, allowed in POSTED.items():
        for who, client in viewers.items():
            if who not in allowed and (answer := client.form(f"/{address}")).status not in (401, 403, 404):
                yield f"{who}: posting to {address} is {answer.status}"
    if deeds(matrix) != before:
        yield "a post that was refused is in the ledger"


def deeds(matrix: Hosted) -> int:
    """How many entries of the ledger are of people, not of the worker."""
    return sum(one.kind not in ("leased", "ended", "board", "page") for one in matrix.campaign.ledger.entries())


def entered(matrix: Hosted, viewers: dict[str, Client], source: str) -> Iterator[str]:
    """What those who have no part in annotating find in the rooms of accounts and of the workbench: nothing."""
    for pattern in (address for address in site() if "campaign/" not in address and address not in OPEN):
        address = re.sub("<[^>]*>", source, pattern)
        for who in (VISITOR, OTHER, OWN):
            answer = viewers[who].get(f"/{address}")
            is_door = answer.status == 302 and answer.headers["Location"].startswith(("/sign-in", "/campaign/"))
            is_theirs = who in ROOMS.get(pattern, ())
            if not is_theirs and not is_door and answer.status not in (401, 404, 405):
                yield f"{who}: {pattern} is {answer.status}"
            if "secret-text" in heard(answer):
                yield f"{who}: {pattern} tells of a text"
            if is_theirs or pattern.startswith("account"):
                continue
            if (posted := viewers[who].form(f"/{address}")).status not in (401, 403, 404, 405):
                yield f"{who}: posting to {pattern} is {posted.status}"


def test_the_matrix(surprises: list[str]) -> None:
    assert not surprises, "\n".join(surprises)


def submitted(matrix: Hosted, phase: str, ids: dict[str, str]) -> None:
    """Both teams send a run in the phases that take them; the unnamed team's has 8 of 11 words of the test right."""
    dataset = {"dry run": "try", "test": "final"}.get(phase)
    if dataset is None:
        return
    tag, canary = HIDDEN_TAGS[dataset]
    key = Path(matrix.folder, "keys", f"{dataset}.tsv").read_bytes().replace(canary, tag)
    own = matrix.submit(matrix.one, dataset, key.replace(b"DET", b"X"), name="canary.tsv", run="canary")
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
