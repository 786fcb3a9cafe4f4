"""A participant proposes to change a document of a key, sees nothing else, and the proposal is a list of edits."""

from __future__ import annotations

from tests.server.conftest import Team
from tests.server.serving import accept_invitation, event, invite_person
from tests.server.workbench.test_api import mention

KEY = (
    b'<DOC><DOCNO>one</DOCNO><TEXT><P><COREF ID="1">Ann</COREF> met Ben.</P></TEXT></DOC>\n'
    b'<DOC><DOCNO>two</DOCNO><TEXT><P>A secret <COREF ID="2">town</COREF>.</P></TEXT></DOC>\n'
)
OPENED = """
import json
from aune.errors import UsageError
from aune.server.accounts.models import Account
from aune.server.workbench.change_proposals import open_proposal
account = Account.objects.get(name="Pat")
back = "/campaign/draw/{{layer}}"
layers = [open_proposal(account, "key.sgm", {key!r}, "coref", document="one", purpose=purpose, back=back)
          for purpose in ("d1", "d1", "d2")]
quinn = Account.objects.get(name="Quinn")
other = open_proposal(quinn, "key.sgm", {key!r}, "coref", document="one", purpose="d1", back=back)
problems = []
for wrong in ({{"document": "three"}}, {{"document": "one", "back": "http://elsewhere/"}}):
    try:
        open_proposal(account, "key.sgm", {key!r}, "coref", **wrong)
    except UsageError as error:
        problems.append(str(error))
found = {{"layers": [layer.pk for layer in layers], "other": other.pk}}
print(json.dumps({{**found, "back": layers[0].back, "problems": problems}}))
"""
PROPOSED = """
import json
from aune.server.workbench.models import Layer
from aune.server.workbench.change_proposals import read_proposal
found = read_proposal(Layer.objects.get(pk={layer!r}))
print(json.dumps({{
    "before": len(found.before), "after": len(found.after), "kinds": [edit.kind for edit in found.edits],
    "changed": found.changed.decode(),
}}))
"""


def test_a_proposal_is_a_layer_of_its_author_alone(team: Team) -> None:
    quinn = accept_invitation(team.served, invite_person(team.organiser, "participant"), "Quinn")
    made = team.served.run_inside(OPENED.format(key=KEY))
    layer, again, other = made["layers"]
    assert layer == again != other
    assert made["back"] == f"/campaign/draw/{layer}"
    assert "'one', 'two'" in made["problems"][0] and "/campaign/" in made["problems"][1]
    api, page = f"/api/layer/{layer}/", f"/layer/{layer}/"
    pat = team.participant
    shown = pat.get(api).json
    assert (shown["layer"]["kind"], shown["text"]["name"]) == ("proposal", "one")
    assert [sibling["id"] for sibling in shown["layer"]["siblings"]] == [other]  # their own, and nothing of the key's
    assert f'data-text="/campaign/draw/{layer}"' in pat.get(page).text
    for somebody in (team.organiser, team.ann, team.ben):
        assert somebody.get(api).status == somebody.get(page).status == 404
        assert "key.sgm" not in somebody.get("/").text + somebody.get("/statistics/").text
    assert pat.get(f"/text/{shown['text']['id']}/").status == 404
    assert pat.get(f"{page}export").status == 403
    assert b"secret" not in pat.get("/").body
    fields = {"base": 0, "events": [event(["chains", "c9", {}], ["mentions", "m9", mention(8, 11, "c9")])]}
    assert pat.post(f"{api}events", fields).status == 200
    result = team.served.run_inside(PROPOSED.format(layer=layer))
    assert (result["before"], result["after"], result["kinds"]) == (1, 2, ["added"])
    assert 'met <COREF ID="2">Ben</COREF>.' in result["changed"]
    assert KEY.partition(b"\n")[2].decode() in result["changed"]  # the other document is as it was
    sent = pat.form(f"{page}done", done="yes")
    assert (sent.status, sent.headers["Location"]) == (302, made["back"])
    assert pat.post(f"{api}events", {**fields, "base": 1}).status == 403
    assert pat.form(f"{page}done", done="no").status == 403
    assert pat.post(f"{api}done", {"done": False}).status == 403
    assert team.organiser.get(f"{api}edits").json["edits"][0]["after"]["words"] == "Ben"
    assert team.ann.get(api).status == 404
    resolved = pat.form(f"/resolve/{layer}/run", resolver="same_string").headers["Location"].split("/")[3]
    assert pat.post(f"/api/layer/{resolved}/copy", {"base": 0, "events": []}).status == 201
    shown = quinn.get(f"/api/layer/{made['other']}/").json
    assert shown["layer"]["siblings"] == [], "who else proposes, or does anything to the text, is not told"
