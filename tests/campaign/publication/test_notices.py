"""Notices: every one asks the policy, each is written once, and a real mail server gets them."""

from __future__ import annotations

import smtplib
import socketserver
import threading
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.policy import default

import pytest

from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import decide_dispute, file_dispute, make_key_version
from aune.campaign.ledger.state import Team
from aune.campaign.protocol.phases import PHASES
from aune.campaign.protocol.visibility import Viewer
from aune.campaign.publication.notices import (
    ORGANISER_RECIPIENT,
    Notice,
    annotator_recipient,
    newest_notices,
    team_recipient,
    visible_notices,
)
from aune.campaign.publication.outbox import (
    letter_state,
    member_addresses,
    refused_letters,
    retry_refused,
    send_letters,
    smtp_delivery,
    start_outbox,
    waiting_letters,
    write_letters,
)
from aune.campaign.runs.jobs import FaultError, score_waiting
from aune.errors import UsageError


def of_team(campaign: Campaign, team: str) -> list[Notice]:
    return newest_notices(campaign, team_recipient(team))


def test_what_each_team_is_told_and_what_not(campaign: Campaign, team: Callable[..., Team]) -> None:
    """Canaries of one team, of the key and of scores are in no letter to another, in any phase."""
    secret, other = team(campaign, "Canary Labs"), team(campaign, "Open Lab")
    details: dict[str, list[str]] = {secret.id: [], other.id: []}
    for phase in PHASES[PHASES.index("dry run") : PHASES.index("open")]:
        if phase != "dry run":
            campaign.begin_phase(phase)
        if dataset := {"dry run": "try", "test": "final"}.get(phase):
            key = (campaign.folder / f"keys/{dataset}.tsv").read_bytes()
            campaign.receive(secret.id, dataset, "canary-run", "canary.tsv", key.replace(b"NOUN", b"PROPN"))
            campaign.receive(other.id, dataset, "run", "b.tsv", b"broken\n")
            score_waiting(campaign)
        if phase == "test adjudication":
            me = Viewer("participant", secret.id)
            claim = file_dispute(
                campaign, me, "final", "final", "reference", {"word": 2, "tags": "VERB"}, "canary argument"
            )
            decide_dispute(campaign, claim.id, "accepted", "Ann", "so it is")
            make_key_version(campaign, "final")
            score_waiting(campaign)
        letters = {notice.name: notice for notice in visible_notices(campaign)}
        for letter in letters.values():
            whole = letter.subject + letter.text
            assert letter.to in (team_recipient(secret.id), ORGANISER_RECIPIENT) or "anary" not in whole, (phase, whole)
            if "canary-run for final" in whole and not campaign.may_see(letter.to.viewer, "test scores"):
                assert "precision" not in whole, whole
        details = {name: [item.subject for item in of_team(campaign, name)] for name in details}
    assert details[secret.id] == [
        "demo: archive has begun",
        "demo: publication has begun",
        "demo: a new key of final",
        "demo: your dispute was accepted",
        "demo: test adjudication has begun",
        "demo: canary-run for final is valid",
        "demo: received canary-run for final",
        "demo: test has begun",
        "demo: dry adjudication has begun",
        "demo: the protocol, version 1",
        "demo: canary-run for try is valid",
        "demo: received canary-run for try",
        "demo: dry run has begun",
        "demo: training has begun",
        "demo: call has begun",
    ]
    assert (
        "demo: run for final is not valid" in details[other.id]
        and "demo: your dispute was accepted" not in details[other.id]
    )
    [broken] = [item for item in of_team(campaign, other.id) if "run for try is not valid" in item.subject]
    assert "b.tsv:1:1: " in broken.text
    [valid] = [item for item in of_team(campaign, secret.id) if "canary-run for try is valid" in item.subject]
    assert "tagging.precision_decision precision: " in valid.text, "in the dry run scores are told"


def test_what_organisers_and_annotators_are_told(
    campaign: Campaign, team: Callable[..., Team], monkeypatch: pytest.MonkeyPatch
) -> None:
    """New teams, those that left, disputes and faults; texts to annotate, to the one who is to annotate them."""
    first_team = team(campaign, "Les Bleus", country="FR")
    campaign.assign("Ann", ["a", "b"], "Olga")
    key = (campaign.folder / "keys/try.tsv").read_bytes()
    monkeypatch.setattr("aune.campaign.runs.jobs.run_in_process", failing)
    campaign.receive(first_team.id, "try", "run", "a.tsv", key)
    assert score_waiting(campaign) == {"fault": 1, "retried": 1}
    campaign.begin_phase("dry adjudication")
    me = Viewer("participant", first_team.id)
    file_dispute(campaign, me, "try", "try", "reference", {"word": 2, "tags": "X"}, "no verb")
    file_dispute(campaign, Viewer("organiser"), "try", "try", "reference", {"word": 2, "tags": "X"}, "my own")
    campaign.withdraw(first_team.id, "a bug")
    notices = newest_notices(campaign, ORGANISER_RECIPIENT)
    assert [notice.subject for notice in notices] == [
        "demo: Les Bleus has withdrawn",
        "demo: a dispute about try waits for a decision",
        "demo: run of Les Bleus could not be scored",
        "demo: Les Bleus has registered",
    ]
    assert "no verb" in notices[1].text and "becomes X" in notices[1].text and "the machine is away" in notices[2].text
    [requests] = newest_notices(campaign, annotator_recipient("Ann"))
    assert requests.subject == "demo: 2 texts to annotate" and requests.text == "Olga asks you to annotate:\n\na\nb\n"
    assert newest_notices(campaign, annotator_recipient("Ben")) == []


def failing(*arguments: object) -> None:
    raise FaultError("the machine is away")


class Mailbox(socketserver.StreamRequestHandler):
    """As much of SMTP as it takes to get a letter."""

    letters: list[bytes] = []  # noqa: RUF012 - one box for the test
    refuses_after = 10**9

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            word = line[:4].upper()
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = list(iter(self.rfile.readline, b".\r\n"))
                self.letters.append(b"".join(lines))
            unknown = word == b"RCPT" and b"nobody@" in line
            answer = b"550 no such box\r\n" if unknown else self.answer(word)
            self.wfile.write(b"221 bye\r\n" if word == b"QUIT" else answer)
            if word == b"QUIT":
                return

    def answer(self, word: bytes) -> bytes:
        full = word == b"MAIL" and len(self.letters) >= type(self).refuses_after
        return b"452 the box is full\r\n" if full else b"250 fine\r\n"


@pytest.fixture
def mail_server() -> Iterator[str]:
    Mailbox.letters.clear()
    Mailbox.refuses_after = 10**9
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_letters_are_written_once_and_sent_by_a_real_server(
    campaign: Campaign, team: Callable[..., Team], mail_server: str
) -> None:
    first_team, silent = team(campaign, "Équipe"), team(campaign, "no address")
    campaign.add_member(first_team.id, "Zoé <zoe@example.org>")
    campaign.add_member(silent.id, "somebody")
    assert member_addresses(campaign, ORGANISER_RECIPIENT) == []
    assert member_addresses(campaign, team_recipient(first_team.id)) == ["Zoé <zoe@example.org>"]
    assert write_letters(campaign, "campaign@example.org") == [], "what was before is not told again"
    data = (campaign.folder / "keys/try.tsv").read_bytes()
    for sender in (first_team, silent):
        campaign.receive(sender.id, "try", "run", "a.tsv", data)
    score_waiting(campaign)
    assert len(write_letters(campaign, "campaign@example.org")) == 2
    assert len(write_letters(campaign, "campaign@example.org")) == 2
    Mailbox.refuses_after = 1
    with pytest.raises(UsageError, match="not all sent"), smtp_delivery(mail_server) as deliver:
        send_letters(campaign, deliver)
    assert len(waiting_letters(campaign)) == 1
    Mailbox.refuses_after = 10**9
    with smtp_delivery(mail_server) as deliver:
        assert send_letters(campaign, deliver) == 1
        assert send_letters(campaign, deliver) == 0
    assert write_letters(campaign, "campaign@example.org") == [], "what was sent is not written again"
    letters = [message_from_bytes(letter, policy=default) for letter in Mailbox.letters]
    assert [str(letter["Subject"]) for letter in letters] == [
        "demo: received run for try",
        "demo: run for try is valid",
    ]
    assert {str(letter["To"]) for letter in letters} == {"Zoé <zoe@example.org>"}
    assert len({letter["Message-ID"] for letter in letters}) == 2
    assert "sha256: " in letters[0].get_content()


def test_the_first_address_is_not_sent_what_was_before_it(campaign: Campaign) -> None:
    """Work on letters may have begun long ago, when there was nobody to write to."""
    assert not write_letters(campaign, "Demo <demo@example.org>", lambda *_: [])
    campaign.register("Early Lab")
    start_outbox(campaign)
    campaign.register("Late Lab")
    letters = write_letters(campaign, "Demo <demo@example.org>", lambda *_: ["olga@example.org"])
    assert [b"Late Lab" in path.read_bytes() for path in letters] == [True] * len(letters) and letters


def test_one_bad_address_keeps_nobody_else_waiting(
    campaign: Campaign, team: Callable[..., Team], mail_server: str
) -> None:
    """Neither one that the mail server refuses, nor one that would be a header of its own."""
    bad, odd, good = (team(campaign, name) for name in ("bad", "odd", "good"))
    campaign.add_member(bad.id, "nobody@example.org")
    campaign.add_member(odd.id, "x@example.org\nBcc: y@example.org")
    campaign.add_member(good.id, "zoe@example.org")
    write_letters(campaign, "campaign@example.org")
    campaign.begin_phase("dry adjudication")
    assert {path.name.partition("-")[2] for path in write_letters(campaign, "c@example.org")} == {
        f"{document.id}.eml" for document in (bad, good)
    }
    message = r"2 sent, 2 refused for good, none waits: first .*550 no such box"
    with pytest.raises(UsageError, match=message), smtp_delivery(mail_server) as deliver:
        send_letters(campaign, deliver)
    assert len(Mailbox.letters) == 2 and b"Bcc" not in b"".join(Mailbox.letters)
    assert waiting_letters(campaign) == write_letters(campaign, "c@example.org") == [], "it is not tried for ever"
    assert {(letter.address, letter.why) for letter in refused_letters(campaign)} == {
        ("nobody@example.org", "550 no such box")
    }
    assert all(letter_state(campaign, letter.name) == "refused" for letter in refused_letters(campaign))
    assert retry_refused(campaign) == 2 == len(waiting_letters(campaign)), "unless the organiser wants it"
    assert refused_letters(campaign) == []


@pytest.mark.parametrize(
    ("error", "is_for_good"),
    [
        (smtplib.SMTPRecipientsRefused({"a@example.org": (550, b"no such box")}), True),
        (smtplib.SMTPRecipientsRefused({"a@example.org": (451, b"try later")}), False),
        (smtplib.SMTPDataError(554, b"no"), True),
        (smtplib.SMTPDataError(452, b"full"), False),
        (smtplib.SMTPNotSupportedError("no UTF-8"), True),
    ],
)
def test_what_is_refused_for_now_waits(
    campaign: Campaign, team: Callable[..., Team], error: Exception, is_for_good: bool
) -> None:
    campaign.add_member(team(campaign, "one").id, "a@example.org")
    write_letters(campaign, "c@example.org")
    campaign.begin_phase("dry adjudication")
    write_letters(campaign, "c@example.org")

    def deliver(message: object) -> None:
        raise error

    with pytest.raises(UsageError, match="2 refused for good" if is_for_good else "2 wait"):
        send_letters(campaign, deliver)
    assert (len(refused_letters(campaign)), len(waiting_letters(campaign))) == ((2, 0) if is_for_good else (0, 2))


def test_members_are_not_told_each_other_s_addresses(campaign: Campaign, team: Callable[..., Team]) -> None:
    first_team = team(campaign, "one")
    for name in ("zoe", "max"):
        campaign.add_member(first_team.id, f"{name}@example.org")
    write_letters(campaign, "c@example.org")
    campaign.begin_phase("dry adjudication")
    sent: list[str] = []
    write_letters(campaign, "c@example.org")
    assert send_letters(campaign, lambda message: sent.append(str(message))) == 4
    assert all(("zoe@" in letter) != ("max@" in letter) for letter in sent)
    assert write_letters(campaign, "c@example.org") == []


def test_a_server_that_is_not_there_is_said(campaign: Campaign) -> None:
    assert send_letters(campaign, lambda message: None) == 0
    with pytest.raises(UsageError, match=r"127\.0\.0\.1:1: the letters"), smtp_delivery("127.0.0.1:1"):
        pass


def test_letters_are_encrypted_where_the_server_can() -> None:
    """It is asked what it can before anything is said to it."""
    requests: list[bytes] = []

    class Careful(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            for line in self.rfile:
                requests.append(line[:8].upper())
                fields = {b"EHLO": b"250-here\r\n250 STARTTLS\r\n", b"STAR": b"454 not now\r\n"}
                self.wfile.write(fields.get(line[:4].upper(), b"221 bye\r\n"))

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Careful) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(UsageError, match="not now"), smtp_delivery(f"127.0.0.1:{server.server_address[1]}"):
            raise AssertionError("a letter in the open")
        server.shutdown()
    assert b"STARTTLS" in requests
