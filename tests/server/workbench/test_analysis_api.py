"""Comparisons over HTTP: the figures are those of the domain, for layers of one text that the asker sees."""

from __future__ import annotations

from tests.server.serving import Client, event, layers_of, text_of

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
    result = me.get(f"/api/layer/{key}/compare/{response}").json
    scores = {score["measure"]: score["values"] for score in result["scores"]}
    assert scores["coref.muc"]["recall"] == 0
    assert scores["coref.b_cubed"]["recall"] == 0.5
    assert len(result["expressions"]) == 4
    assert result["text"]["characters"].startswith("Ann met")
    assert len(result["states"]) == 2 and len(result["disagreements"]) >= 1
    assert result["names"] == ["compared.sgm", "bare"]
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
    result = me.get(f"/api/layer/{response}/scores?against={key}&measures=muc").json
    assert [score["measure"] for score in result["scores"]] == ["coref.muc"]
    chains = me.get(f"/api/layer/{key}/suggestions/m1").json["chains"]
    assert {"chain", "score", "why"} == set(chains[0])
    assert me.get(f"/api/layer/{key}/suggestions/m99").status == 404


def test_versions_and_the_resolver_on_its_way(me: Client) -> None:
    """A layer is compared at a version, or with what the resolver says of its mentions after some of them."""
    key, response = two_layers(me, "moments")
    state = me.get(f"/api/layer/{response}/").json["state"]
    first, *_ = state["mentions"]
    grouped = event(["chains", "c1", {}], ["mentions", first, {**state["mentions"][first], "chain": "c1"}])
    assert me.post(f"/api/layer/{response}/events", {"base": 0, "events": [grouped]}).status == 200
    text = text_of(me, "moments")
    page = me.get(f"{text}compare?key={key}&response={response}&response_at=0").headers["Location"]
    assert page == f"/compare/{key}/{response}@0/"
    assert f'data-api="/api/layer/{key}/compare/{response}@0"' in me.get(page).text
    before, now = (me.get(f"/api/layer/{response}{at}/compare/{response}").json["states"][0] for at in ("@0", ""))
    assert (before["mentions"][first]["chain"], now["mentions"][first]["chain"]) == (None, "c1")
    page = me.get(f"{text}compare?key={key}&response={key}&step=2").headers["Location"]
    assert page == f"/compare/{key}/{key}@step2/"
    result = me.get(f"/api{page.replace('/compare/', '/layer/', 1).replace(f'/{key}@', f'/compare/{key}@')[:-1]}").json
    assert result["names"] == ["moments.sgm", "moments.sgm, resolver at step 2"]
    assert sum(mention["chain"] is not None for mention in result["states"][1]["mentions"].values()) == 2
    for wrong in (f"{response}@9", f"{response}@x", f"{response}@step", f"{response}@-1"):
        assert me.get(f"/api/layer/{key}/compare/{wrong}").status == 422
        assert me.get(f"/compare/{key}/{wrong}/").status == 422
