"""A served campaign with an organiser, an annotator and two teams."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aune.campaign.campaign import Campaign
from aune.campaign.scaffold import create_campaign
from tests.server.conftest import Database
from tests.server.serving import Answer, Client, Served, accept_invitation, invite_person, serving

WAIT = 60


def send_messages(
    client: Client, path: str, name: str, data: bytes, more: Mapping[str, tuple[str, bytes]] = {}, /, **fields: str
) -> Answer:
    """A form with files."""
    edge = uuid.uuid4().hex
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{item}"\r\n\r\n{value}\r\n'.encode()
        for item, value in fields.items()
    ]
    for field_name, (file, content) in {"file": (name, data), **more}.items():
        head = f'--{edge}\r\nContent-Disposition: form-data; name="{field_name}"; filename="{file}"\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    kind = {"Content-Type": f"multipart/form-data; boundary={edge}", "X-CSRFToken": client.csrf}
    return client.ask(path, b"".join(parts) + f"--{edge}--\r\n".encode(), kind)


@dataclass
class Hosted:
    """A campaign behind a server, and the people in it."""

    served: Served
    folder: Path
    organiser: Client
    annotator: Client
    one: Client
    two: Client
    visitor: Client
    sent: dict[str, str] = field(default_factory=dict)

    @property
    def campaign(self) -> Campaign:
        return Campaign(self.folder)

    def phase(self, name: str, **reason: str) -> None:
        assert self.organiser.get("/campaign/manage").status == 200
        assert self.organiser.form("/campaign/manage/phase", phase=name, **reason).status == 302

    def submit(self, client: Client, dataset: str, data: bytes, name: str = "run.tsv", run: str = "run") -> str:
        """Send a run, and wait until it is scored; its id."""
        assert client.get("/campaign/team").status == 200
        answer = send_messages(client, f"/campaign/submit/{dataset}", name, data, run=run)
        assert answer.status == 302, answer.text
        submission = answer.headers["Location"].rpartition("/")[2]
        self.ended(client, submission)
        return submission

    def ended(self, client: Client, submission: str) -> dict[str, Any]:
        for _ in range(WAIT * 20):
            status: dict[str, Any] = client.get(f"/api/campaign/submission/{submission}").json
            if status["state"] != "received":
                return status
            time.sleep(0.05)
        raise AssertionError("not scored")

    def board(self, client: Client, dataset: str) -> Answer:
        """The results, when they are made."""
        for _ in range(WAIT * 20):
            answer = client.get(f"/campaign/results/{dataset}")
            if "being computed" not in answer.text:
                return answer
            time.sleep(0.05)
        raise AssertionError("no board")


def team(served: Served, organiser: Client, account: str, name: str) -> Client:
    client = accept_invitation(served, invite_person(organiser, "participant"), account)
    assert client.get("/campaign/").status == 200
    country = "Canaria" if "Canary" in name else "Oman"
    assert client.form("/campaign/register", name=name, country=country).status == 302
    assert client.get("/campaign/team").status == 200
    assert client.form("/campaign/team/licence").status == 302
    return client


class People(NamedTuple):
    """What those in a campaign are called."""

    organiser: str = "Olga"
    annotator: str = "Ann"
    one: str = "Carmen"
    two: str = "Otto"


USUAL = People()


def fill_campaign(served: Served, folder: Path, people: People = USUAL) -> Hosted:
    """A campaign with its people in it."""
    organiser = accept_invitation(served, served.printed, people.organiser)
    return Hosted(
        served, folder, organiser, accept_invitation(served, invite_person(organiser, "annotator"), people.annotator),
        team(served, organiser, people.one, "Canary Labs"), team(served, organiser, people.two, "Open Lab"),
        served.stranger(),
    )  # fmt: skip


@pytest.fixture(scope="module")
def hosted_campaign(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A campaign of tagging, on each database."""
    folder = tmp_path_factory.mktemp("hosted") / "campaign"
    create_campaign(folder, "demo", "tagging")
    with serving(folder, "--accounts", *database()) as served:
        yield fill_campaign(served, folder)


TOKEN = re.compile(rb'(name="csrfmiddlewaretoken" value|name="csrf" content)="\w+"')
CHANGING = {"Date", "Set-Cookie", "Expires"}


class Heard(NamedTuple):
    """An answer without what is new in every answer, which always has the same length."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @classmethod
    def of(cls, answer: Answer) -> Heard:
        remaining = tuple(sorted((name, value) for name, value in answer.headers.items() if name not in CHANGING))
        return cls(answer.status, remaining, TOKEN.sub(rb'\1=""', answer.body))


def token_of(client: Client, name: str = "test") -> str:
    client.get("/account")
    match = re.search(r"aune_[\w-]+", client.form("/account/tokens", name=name).text)
    assert match
    return match[0]
