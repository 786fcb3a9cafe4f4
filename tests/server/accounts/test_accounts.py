"""A team: invitations work once, passphrases cannot be guessed at leisure, tokens, and what each role sees."""

from __future__ import annotations

import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from tests.server.serving import (
    PASSPHRASE,
    Client,
    accept_invitation,
    event,
    invite_person,
    layers_of,
    serving,
    text_of,
)

if TYPE_CHECKING:
    from tests.server.conftest import Team

TEXT = (
    b'<DOC><DOCNO>%s</DOCNO><TEXT><COREF ID="1">Ann</COREF> met Ben. '
    b'<COREF ID="2" REF="1">She</COREF> ran.</TEXT></DOC>\n'
)


def test_an_invitation_works_once(team: Team) -> None:
    address = invite_person(team.organiser, "annotator")
    looked = team.served.stranger()
    assert looked.get(address).status == looked.get(address).status == 200  # looking uses nothing up
    weak = looked.form(address, name="Eve", passphrase="short", again="short")
    assert weak.status == 422 and "12 characters" in weak.text
    assert (
        looked.form(address, name="Ann", passphrase=PASSPHRASE, again=PASSPHRASE).status == 422
    )  # a name is one's own
    accept_invitation(team.served, address, "Eve")
    assert team.served.stranger().get(address).status == 404


def test_an_invitation_can_be_revoked(team: Team) -> None:
    address = invite_person(team.organiser, "annotator")
    digest = hashlib.sha256(address.rpartition("/")[2].encode()).hexdigest()
    assert digest in team.organiser.get("/people").text
    assert team.ann.form(f"/people/invitations/{digest}/revoke").status == 404
    assert team.organiser.form(f"/people/invitations/{digest}/revoke").status == 302
    assert team.served.stranger().get(address).status == 404
    assert digest not in team.organiser.get("/people").text
    taken = invite_person(team.organiser, "annotator")
    accept_invitation(team.served, taken, "Rea")
    used = hashlib.sha256(taken.rpartition("/")[2].encode()).hexdigest()
    assert team.organiser.form(f"/people/invitations/{used}/revoke").status == 404, "it made an account"


def test_an_invitation_tells_few_names(team: Team) -> None:
    """Who is invited could ask name by name who else is here."""
    address = invite_person(team.organiser, "participant")
    guest = team.served.stranger()
    assert guest.get(address).status == 200
    guesses = [
        guest.form(address, name=name, passphrase=PASSPHRASE, again=PASSPHRASE).status for name in ["Ann", "Ben"] * 4
    ]
    assert guesses == [422] * 5 + [404] * 3
    assert guest.get(address).status == 404
    weak = guest.form(invite_person(team.organiser, "participant"), name="Ann", passphrase="short", again="short")
    assert weak.status == 422 and "already" not in weak.text, "a weak passphrase asks about nobody"


def test_only_organisers_invite(team: Team) -> None:
    for client in (team.ann, team.participant):
        client.get("/")
        assert client.get("/people").status == 404
        assert client.form("/people/invite", role="organiser").status == 404
    assert team.served.stranger().get("/people").status == 302
    assert team.organiser.form("/people/invite", role="king").status == 422


def signed_in(team: Team, name: str, passphrase: str = PASSPHRASE) -> tuple[Client, int]:
    client = team.served.stranger()
    client.get("/sign-in")
    return client, client.form("/sign-in", name=name, passphrase=passphrase).status


def test_signing_in_and_out(team: Team) -> None:
    accept_invitation(team.served, invite_person(team.organiser, "annotator"), "Oscar")
    client, status = signed_in(team, "Oscar")
    other, _ = signed_in(team, "Oscar")
    assert status == 302 and client.get("/").status == 200
    assert client.form("/sign-out").status == 302
    assert other.get("/").status == 302  # every cookie of the account is void
    assert other.get("/api/layer/x/").status == 401


def test_a_sign_in_leads_nowhere_else(team: Team) -> None:
    client = team.served.stranger()
    client.get("/sign-in")
    answer = client.form("/sign-in", name="Ann", passphrase=PASSPHRASE, next="https://evil.example/")
    assert (answer.status, answer.headers["Location"]) == (302, "/")


def test_guesses_at_the_same_moment_count_each_other(team: Team) -> None:
    accept_invitation(team.served, invite_person(team.organiser, "annotator"), "Kim")
    address = invite_person(team.organiser, "participant")

    def guess(number: int) -> int:
        return signed_in(team, "Kim", f"wrong guess number {number}")[1]

    def probe(number: int) -> int:
        guest = team.served.stranger()
        assert guest.get(address).status in (200, 404)
        return guest.form(address, name="Kim", passphrase=PASSPHRASE, again=PASSPHRASE).status

    with ThreadPoolExecutor(16) as threads:
        guesses, probes = list(threads.map(guess, range(16))), list(threads.map(probe, range(16)))
    assert guesses.count(403) <= 5 and guesses.count(403) + guesses.count(429) == 16, guesses
    assert probes.count(422) <= 5, "names that an invitation tells"


def test_guessing_is_slow(team: Team) -> None:
    accept_invitation(team.served, invite_person(team.organiser, "annotator"), "Gus")
    statuses = [signed_in(team, "Gus", f"wrong guess number {number}")[1] for number in range(7)]
    assert statuses == [403] * 5 + [429] * 2
    assert signed_in(team, "Gus")[1] == 429  # the right one too, for a while
    assert signed_in(team, "Ann")[1] == 302  # nobody else is shut out


def test_a_slip_is_no_guess(team: Team) -> None:
    """Half a form, or a weak new passphrase, is refused before any passphrase is looked at, however often."""
    client = accept_invitation(team.served, invite_person(team.organiser, "annotator"), "Stan")
    for _ in range(6):
        assert signed_in(team, "Stan", "")[1] == signed_in(team, "", PASSPHRASE)[1] == 422
        assert client.form("/account/passphrase", old="a guess", passphrase="short", again="short").status == 422
    assert signed_in(team, "Stan")[1] == 302


def test_a_closed_account_is_out(team: Team) -> None:
    client = accept_invitation(team.served, invite_person(team.organiser, "annotator"), "Zoe")
    page = team.organiser.get("/people").text
    account = re.search(r"Zoe.*?/people/([\w-]+)/close", page, re.S)
    assert account
    assert team.organiser.form(f"/people/{account[1]}/close").status == 302
    assert client.get("/").status == 302
    assert signed_in(team, "Zoe")[1] == 403


def test_tokens(team: Team) -> None:
    """A token acts for its account without a cookie; one that is deleted does not."""
    page = team.organiser.form("/account/tokens", name="script").text
    match = re.search(r"aune_[\w-]+", page)
    assert match
    program = Client(team.served.address, bearer=match[0])
    assert program.upload(("token.sgm", TEXT % b"by-token")).status == 302
    assert "by-token" in program.get("/").text
    for change in ("tokens", "passphrase"):
        fields = {"name": "another", "old": PASSPHRASE, "passphrase": "a stolen one", "again": "a stolen one"}
        assert program.form(f"/account/{change}", **fields).status == 403, "a token outlives its deletion by none"
    assert Client(team.served.address, bearer="aune_made-up").get("/").status == 401
    assert match[0] not in team.organiser.get("/account").text  # shown once
    token = re.search(r"/account/tokens/([\w-]+)/delete", team.organiser.get("/account").text)
    assert token
    assert team.ann.form(f"/account/tokens/{token[1]}/delete").status == 404
    assert team.organiser.form(f"/account/tokens/{token[1]}/delete").status == 302
    assert program.get("/").status == 401


def test_a_new_passphrase(team: Team) -> None:
    client = accept_invitation(team.served, invite_person(team.organiser, "annotator"), "Paul")
    other, _ = signed_in(team, "Paul")
    fresh = "quatre mots bien choisis"
    assert client.form("/account/passphrase", old="wrong", passphrase=fresh, again=fresh).status == 403
    assert client.form("/account/passphrase", old=PASSPHRASE, passphrase=fresh, again=fresh).status == 302
    assert client.get("/").status == 200
    assert other.get("/").status == 302


@pytest.fixture
def begun_work(team: Team) -> tuple[str, str, str]:
    """A text of the organiser's with a layer of each annotator: the ids of the three layers."""
    name = f"blind-{event()['id'][:8]}"
    assert team.organiser.upload((f"{name}.sgm", TEXT % name.encode())).status == 302
    text = text_of(team.organiser, name)
    (imported,) = layers_of(team.organiser, name).values()
    for client in (team.ann, team.ben):
        assert client.get(text).status == 200
        assert client.form(f"{text}layers", name="mine").status == 302
    return imported, layers_of(team.ann, name)["mine"], layers_of(team.ben, name)["mine"]


def test_layers_are_blind_until_both_are_done(team: Team, begun_work: tuple[str, str, str]) -> None:
    imported, ann, ben = begun_work
    assert team.ann.get(f"/api/layer/{ann}/").status == 200
    for layer in (ben, imported):
        for path in (
            f"/layer/{layer}/",
            f"/api/layer/{layer}/",
            f"/layer/{layer}/export",
            f"/api/layer/{layer}/history",
        ):
            assert team.ann.get(path).status == 404
    assert [sibling["id"] for sibling in team.ann.get(f"/api/layer/{ann}/").json["layer"]["siblings"]] == [""]
    assert team.ann.post(f"/api/layer/{ann}/done", {"done": True}).status == 200
    assert team.ann.get(f"/api/layer/{ben}/").status == 404  # Ben is not done
    assert team.ben.get(f"/api/layer/{ann}/").status == 404  # nor may he look
    assert team.ben.post(f"/api/layer/{ben}/done", {"done": True}).status == 200
    assert team.ann.get(f"/api/layer/{ben}/").status == team.ben.get(f"/api/layer/{ann}/").status == 200


def test_nobody_writes_into_anothers_layer(team: Team, begun_work: tuple[str, str, str]) -> None:
    _, ann, ben = begun_work
    change = {"base": 0, "events": [event(["chains", "c9", {"name": "x"}])]}
    assert team.ann.post(f"/api/layer/{ben}/events", change).status == 404
    for client, layer in ((team.ann, ann), (team.ben, ben)):
        client.post(f"/api/layer/{layer}/done", {"done": True})
    assert team.ann.post(f"/api/layer/{ben}/events", change).status == 403
    assert team.ann.post(f"/api/layer/{ben}/done", {"done": False}).status == 403
    assert team.organiser.post(f"/api/layer/{ben}/events", change).status == 403
    assert team.ann.get(f"/api/layer/{ben}/").json["layer"]["version"] == 0


def test_a_blind_export_says_nothing_of_others(team: Team) -> None:
    """Another text of the same file is empty for who may not see it, not as the file has it."""
    two = (TEXT % b"first-of-two") + (TEXT % b"second-of-two")
    assert team.organiser.upload(("two.sgm", two)).status == 302
    text = text_of(team.ann, "first-of-two")
    assert team.ann.form(f"{text}layers", name="mine").status == 302
    layer = layers_of(team.ann, "first-of-two")["mine"]
    assert b"COREF" not in team.ann.get(f"/layer/{layer}/export").body


def test_participants_see_no_text(team: Team, begun_work: tuple[str, str, str]) -> None:
    assert "/text/" not in team.participant.get("/").text
    assert team.participant.get(f"/api/layer/{begun_work[0]}/").status == 404
    assert team.participant.upload(("a.sgm", TEXT % b"a")).status == 403
    assert team.ann.upload(("a.sgm", TEXT % b"a")).status == 403


def test_an_organiser_gives_out_layers(team: Team) -> None:
    """With the mentions of the file and without its chains: every annotator gets the same set."""
    assert team.organiser.upload(("given.sgm", TEXT % b"given")).status == 302
    text = text_of(team.organiser, "given")
    (imported,) = layers_of(team.organiser, "given").values()
    accounts = dict(re.findall(r'<option value="([\w-]+)"[^>]*>(\w+)<', team.organiser.get(text).text))
    ann = next(account for account, name in accounts.items() if name == "Ann")
    assert team.organiser.form(f"{text}layers", name="given", start=imported, keep="mentions", author=ann).status == 302
    state = team.ann.get(f"/api/layer/{layers_of(team.ann, 'given')['given']}/").json["state"]
    assert len(state["mentions"]) == 2 and not state["chains"]
    assert {mention["chain"] for mention in state["mentions"].values()} == {None}


def test_behind_a_proxy(tmp_path: Path) -> None:
    """Under its public name, with cookies for HTTPS only; under any other name nothing."""
    public = {"Host": "annotate.example.org", "X-Forwarded-Proto": "https"}
    with serving(tmp_path / "site", "--accounts", "--public", "https://annotate.example.org") as served:
        assert served.printed.startswith("https://annotate.example.org/invitation/")
        path = served.printed.removeprefix("https://annotate.example.org")
        stranger = served.stranger()
        answer = stranger.ask(path, headers=public)
        assert answer.status == 200
        cookie = answer.headers["Set-Cookie"]
        assert "Secure" in cookie and "SameSite=Strict" in cookie
        form = urlencode(
            {"csrfmiddlewaretoken": stranger.csrf, "name": "Olga", "passphrase": PASSPHRASE, "again": PASSPHRASE}
        ).encode()
        sent = {
            **public,
            "Content-Type": "application/x-www-form-urlencoded",
            "Cookie": cookie.split(";")[0],
        }
        for origin, status in (("https://evil.example", 403), ("https://annotate.example.org", 302)):
            answer = stranger.ask(path, form, {**sent, "Origin": origin})
            assert answer.status == status
        assert "HttpOnly" in answer.headers["Set-Cookie"] or "Secure" in answer.headers["Set-Cookie"]
        assert stranger.ask("/sign-in", headers={"Host": "evil.example"}).status == 400
