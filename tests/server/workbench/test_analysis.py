"""Comparisons over HTTP: the figures are those of the domain, for layers of one text that the asker sees."""

from __future__ import annotations

from tests.server.serving import Client, layers_of, text_of

TEXT = b"""<DOC><DOCNO>%s</DOCNO><TEXT><COREF ID="1">Ann</COREF> met <COREF ID="3">Ben</COREF>.
<COREF ID="2" REF="1">She</COREF> liked <COREF ID="4" REF="3">him</COREF>.</TEXT></DOC>
"""


def two_layers(me: Client, name: str) -> tuple[str, str]:
    """A file's layer and one with its mentions alone."""
    assert me.upload((f"{name}.sgm", TEXT % name.encode())).status == 302
    (imported,) = layers_of(me, name).values()
    assert me.form(f"{text_of(me, name)}layers", name="bare", start=imported, keep="mentions").status == 302
    return imported, layers_of(me, name)["bare"]


def test_a_comparison_draws_a_page(me: Client) -> None:
    key, response = two_layers(me, "compared")
    found = me.get(f"/api/layer/{key}/compare/{response}").json
    scores = {score["measure"]: score["values"] for score in found["scores"]}
    assert scores["coref.muc"]["recall"] == 0
    assert scores["coref.b_cubed"]["recall"] == 0.5
    assert len(found["expressions"]) == 4
    assert found["text"]["characters"].startswith("Ann met")
    assert len(found["states"]) == 2 and len(found["disagreements"]) >= 1
    assert found["names"] == ["compared.sgm", "bare"]
    assert "compare.js" in me.get(f"/compare/{key}/{response}/").text
    only = me.get(f"/api/layer/{key}/compare/{response}?convention=conll&only=english%3Dpronoun").json
    assert "only:english=pronoun" in only["scores"][0]["signature"]


def test_conventions_that_are_none(me: Client) -> None:
    key, response = two_layers(me, "conventions")
    for query in (
        "convention=mine",
        "match=loose",
        "start=x",
        "only=../../etc",
        "measures=os:getcwd",
        "measures=macro(os:x)",
    ):
        assert me.get(f"/api/layer/{key}/compare/{response}?{query}").status == 422, query


def test_layers_of_different_texts(me: Client) -> None:
    first, _ = two_layers(me, "one-text")
    other, _ = two_layers(me, "other-text")
    answer = me.get(f"/api/layer/{first}/compare/{other}")
    assert (answer.status, answer.json["problems"]) == (422, ["The two layers are about different texts."])


def test_live_scores_and_suggestions(me: Client) -> None:
    key, response = two_layers(me, "live")
    found = me.get(f"/api/layer/{response}/scores?against={key}&measures=muc").json
    assert [score["measure"] for score in found["scores"]] == ["coref.muc"]
    chains = me.get(f"/api/layer/{key}/suggestions/m1").json["chains"]
    assert {"chain", "score", "why"} == set(chains[0])
    assert me.get(f"/api/layer/{key}/suggestions/m99").status == 404
