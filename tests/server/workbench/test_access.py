"""Every address of the workbench, asked by people who may not see it: what is not theirs is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.server.conftest import Team
from tests.server.serving import layers_of, text_of

URLS = Path(__file__).resolve().parents[3] / "src/aune/server/workbench/urls.py"
ADDRESSES = re.findall(r'path\("(.*?)"', URLS.read_text("utf-8"))
OF_LAYERS = [address for address in ADDRESSES if "<str:layer>" in address]
OF_TEXTS = [address for address in ADDRESSES if "<str:text>" in address]


def fill_address(address: str, layer: str, text: str) -> str:
    """An address with names in it; what it compares with is the same layer."""
    names = {"layer": layer, "other": layer, "text": text, "version": "1", "mention": "m0"}
    return "/" + re.sub(r"<\w+:(\w+)>", lambda result: names[result[1]], address)


@pytest.fixture(scope="module")
def own_texts(team: Team) -> tuple[str, str]:
    """A layer that Ann works on, and its text."""
    answer = team.organiser.upload(("hers.sgm", b"<DOC><DOCNO>hers</DOCNO><TEXT>Canary met Ben.</TEXT></DOC>\n"))
    assert answer.status == 302, answer.text
    text = text_of(team.ann, "hers")
    assert team.ann.form(f"{text}layers", name="ann's own").status == 302
    return layers_of(team.ann, "hers")["ann&#x27;s own"], text.split("/")[2]


def test_a_layer_is_there_for_its_author_alone(team: Team, own_texts: tuple[str, str]) -> None:
    """Blind annotators, organisers and participants are told that there is no such layer; strangers to come in."""
    layer, text = own_texts
    before = team.ann.get(f"/api/layer/{layer}/").json
    for address in (fill_address(item, layer, text) for item in OF_LAYERS):
        for name, client in (("ben", team.ben), ("olga", team.organiser), ("pat", team.participant)):
            for answer in (client.get(address), client.post(address, {}), client.form(address, name="ann's own")):
                assert answer.status in (404, 405), (name, address, answer.status, answer.text[:200])
                assert "Canary" not in answer.text
        stranger = team.served.stranger()
        assert stranger.get(address).status in (302, 401, 403, 405), address
        assert stranger.post(address, {}).status in (302, 401, 403), address
    assert team.ann.get(f"/api/layer/{layer}/").json == before


def test_a_text_is_not_there_for_participants(team: Team, own_texts: tuple[str, str]) -> None:
    for address in (fill_address(item, *own_texts) for item in OF_TEXTS):
        for answer in (team.participant.get(address), team.participant.form(address)):
            assert answer.status in (404, 405), (address, answer.status)
            assert "Canary" not in answer.text
