"""Notices: on the pages of those they are for, and as letters through a real mail server."""

from __future__ import annotations

import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from aune.campaign.scaffold import create_campaign
from aune.errors import UsageError
from aune.server.campaign.email_delivery import Mail
from tests.campaign.publication.test_notices import Mailbox
from tests.server.campaign.conftest import Hosted, fill_campaign, team
from tests.server.serving import free_port, serving


class Office(socketserver.ThreadingTCPServer):
    """A mail server that opens and closes on one port."""

    allow_reuse_address = True


@contextmanager
def post_office(port: int) -> Iterator[list[bytes]]:
    """The letters that come in while it is open."""
    Mailbox.letters.clear()
    with Office(("127.0.0.1", port), Mailbox) as office:
        thread = threading.Thread(target=office.serve_forever)
        thread.start()
        yield Mailbox.letters
        office.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def hosted_campaign(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[Hosted]:
    folder = tmp_path_factory.mktemp("mailing") / "campaign"
    create_campaign(folder, "demo", "tagging")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUNE_MAIL", f"smtp://127.0.0.1:{port}")
        patch.setenv("AUNE_SENDER", "Demo <demo@example.org>")
        with serving(folder, "--accounts") as served:
            yield fill_campaign(served, folder)


def wait_for_letters(letters: list[bytes], number: int) -> str:
    for _ in range(300):
        if len(letters) >= number:
            return b"\n".join(letters).decode()
        time.sleep(0.2)
    raise AssertionError(f"{len(letters)} letters")


def test_letters_go_to_those_who_gave_an_address(hosted_campaign: Hosted, port: int) -> None:
    hosted_campaign.one.get("/campaign/notices")
    assert hosted_campaign.one.form("/campaign/notices/address", email="no address").status == 422
    for client, email in ((hosted_campaign.one, "carmen@example.org"), (hosted_campaign.organiser, "olga@example.org")):
        client.get("/campaign/notices")
        assert client.form("/campaign/notices/address", email=email).status == 302
        assert email in client.get("/campaign/notices").text
    confirm(hosted_campaign, "carmen@example.org", "olga@example.org")
    assert "example.org" not in hosted_campaign.two.get("/campaign/notices").text
    with post_office(port) as letters:
        hosted_campaign.phase("training")
        hosted_campaign.phase("dry run")
        run = b"A\tDET\ndog\tNOUN\nbarks\tVERB\n.\tPUNCT\n\nThe\tDET\ncat\tNOUN\nruns\tVERB\n.\tPUNCT\n"
        hosted_campaign.submit(hosted_campaign.one, "try", run)
        hosted_campaign.submit(hosted_campaign.two, "try", run)
        client = team(hosted_campaign.served, hosted_campaign.organiser, "Nina", "Late Lab")
        received = wait_for_letters(letters, 5)
    assert client.form("/campaign/notices/address", email="").status == 302, "no letters"
    assert "carmen@example.org" in received and "dry run has begun" in received and "is valid" in received
    assert "Open Lab" not in received and received.count("To: carmen@example.org") == len(letters) - 1
    assert "Late Lab has registered" in received and received.count("To: olga@example.org") == 1
    own_part = hosted_campaign.one.get("/campaign/notices").text
    assert "received run for try" in own_part and "dry run has begun" in own_part
    assert "sent" in hosted_campaign.organiser.get("/campaign/notices").text
    assert "None yet" in hosted_campaign.annotator.get("/campaign/notices").text
    assert hosted_campaign.visitor.get("/campaign/notices").status == 404
    letters_wait_while_there_is_no_mail_server(hosted_campaign, port)


def confirm(hosted: Hosted, *addresses: str) -> None:
    """The owners of addresses open the letters that ask them, which no mail server has taken yet."""
    clients = {"carmen@example.org": hosted.one, "olga@example.org": hosted.organiser, "nobody@example.org": hosted.two}
    for address in addresses:
        letters = [*(hosted.folder / "outbox").glob("once-*.eml")]
        [letter] = [letter for letter in letters if f"To: {address}" in letter.read_text("utf-8")]
        text = letter.read_text("utf-8").replace("=\n", "")
        code = text.partition("/campaign/notices/confirm/")[2].split()[0]
        assert "letter asks" in clients[address].get("/campaign/notices").text
        assert hosted.annotator.get(f"/campaign/notices/confirm/{code}").status == 404, "it is nobody else's"
        assert clients[address].get(f"/campaign/notices/confirm/{code}").status == 200
        assert clients[address].form(f"/campaign/notices/confirm/{code}").status == 302
        letter.unlink()


def letters_wait_while_there_is_no_mail_server(hosted: Hosted, port: int) -> None:
    hosted.phase("dry adjudication")
    for _ in range(300):
        if "Send them now" in hosted.organiser.get("/campaign/notices").text:
            break
        time.sleep(0.2)
    with post_office(port) as letters:
        assert hosted.organiser.form("/campaign/notices/send").status == 302
        assert "dry adjudication has begun" in wait_for_letters(letters, 1)
        a_wrong_address_is_told(hosted, letters)


def a_wrong_address_is_told(hosted: Hosted, letters: list[bytes]) -> None:
    """To the organiser and to its owner, and to nobody else; then the organiser may have it tried again."""
    hosted.two.get("/campaign/notices")
    assert hosted.two.form("/campaign/notices/address", email="nobody@example.org").status == 302
    hosted.phase("test")
    for _ in range(300):
        if "550 no such box" in hosted.organiser.get("/campaign/notices").text:
            break
        time.sleep(0.2)
    shown = hosted.organiser.get("/campaign/notices").text
    assert "nobody@example.org" in shown and "refuses for good" in shown and "Try them again" in shown
    assert "550 no such box" in hosted.two.get("/campaign/notices").text
    assert "nobody" not in hosted.one.get("/campaign/notices").text
    assert hosted.organiser.form("/campaign/notices/send", refused="yes").status == 302


def test_how_letters_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUNE_MAIL", raising=False)
    assert Mail.from_environment() is None
    monkeypatch.setenv("AUNE_SENDER", "a@example.org")
    monkeypatch.setenv("AUNE_MAIL", "smtp://u%40x:p%3Aq@mail.example.org:587")
    assert Mail.from_environment() == Mail("mail.example.org:587", "a@example.org", "u@x", "p:q")
    for wrong in ("http://host", "smtp://", "smtp://host:port"):
        monkeypatch.setenv("AUNE_MAIL", wrong)
        with pytest.raises(UsageError):
            Mail.from_environment()
