"""Damaged requests to every address of the server, by everybody who may ask: answered or refused, never a bug of ours.

A site with a campaign in it, two texts and an account of each role is made once for a process. Addresses come from the
server itself, and so do the names of what forms send: an address that is added is asked by itself.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote_from_bytes

from aune import server
from aune.campaign.campaign import Campaign
from aune.server.site import Site
from aune.server.startup import site_database

if __package__:
    from tests.fuzz import rooms
    from tests.fuzz.mutants import SIGNS, mutate_data
else:  # run as a script, this folder comes first
    import rooms
    from mutants import SIGNS, mutate_data

SERVER = Path(server.__file__).parent
SAMPLES = Path(__file__).parent.parent / "tasks"
DATABASE = "AUNE_FUZZ_DATABASE"
"""The variable that names a new database, where the one in the folder of the site is not meant."""
SENT = re.compile(r"""\b(?:GET|POST|FILES|sent|query|fields)(?:\.get(?:list)?\(|\[)"(\w+)""")
HOST = "127.0.0.1"
ASKERS = ("organiser", "annotator", "participant", "nobody")
ODD = [
    b"", b" ", b"\0", b"a\0b", b"\xff", b"\xed\xa0\x80", b"-1", b"0", b"1", b"2", b"9" * 30, b"9" * 5000, "²".encode(),
    "٣".encode(), b"1e999", b"nan", b"../../x", b"/etc/passwd", b"<script>", b"a" * 300, b"a" * 60_000, b"[" * 3000,
    b'{"edits": [1e999]}', b"{}", b"null", b"a\r\nBcc: x@example.org", b"=1+1", b"\x1b[31m", "é".encode() * 80,
    b"yes", b"//example.org", b"mentions", b"coref", b"none", b"0:1", b"1-3 4", b"x@example.org",
]  # fmt: skip
FILES = [
    ("a.zip", b"PK\x03\x04" + b"\0" * 40),
    ("a.conll", b"w\tB-PER\nx\tO\n"),
    ("\0", b"\xff"),
    ("../../x.tsv", b"a\tN\n"),
]
EVENT = {
    "id": "e1", "operation": "x", "undoes": 1, "redoes": None, "reason": "", "about": ["a"],
    "changes": [["chains", "c9", {"name": "A"}], ["mentions", "m9", {"parts": [[0, 3]], "chain": "c9"}]],
}  # fmt: skip
BODIES: Mapping[str, Any] = {
    "events": {"base": 0, "events": [EVENT]},
    "copy": {"base": 0, "events": [EVENT], "name": "mine"},
    "done": {"done": True},
    "adjudication": {"base": 0, "operation": "join", "about": ["a", "b"], "label": "PER", "value": "", "reason": "x"},
    "comments": {"start": 0, "end": 3, "body": "x", "flag": True, "answers": ""},
    "resolved": {"resolved": True},
    "skeleton": {"mentions": 5, "key": "1 2-3", "response": "1-2 3"},
}
"""What programs send, by the last word of the address."""


FIELDS: Mapping[str, list[str]] = {
    "role": ["annotator", "participant"], "phase": ["test"], "task": ["coref", "entities"], "typology": ["quaero"],
    "decision": ["accepted", "refused"], "claim": ["reference", "table", "protocol"], "document": ["try"],
    "edit": ['{"remove": [0, 1, "PER"]}', '{"add": [0, 2, "ORG"]}', "{}"], "run": ["two"], "consent": ["named"],
    "mentions": ["5", "50"], "key": ["1 2-3"], "response": ["1-2 3"], "resolver": ["recency", "singletons", "strings"],
    "format": ["jsonlines", "conll", "brat"], "first": ["0", "1"], "of": ["mentions", "ties"], "side": ["key"],
    "at": ["0", "1", "step1"], "key_at": ["0", "1"], "response_at": ["0", "step1"], "from": ["0"], "since": ["0"],
    "next": ["/"], "effects": ["yes"], "end": ["20"], "each": ["1"], "email": ["x@example.org"], "keep": ["mentions"],
    "version": ["0", "1", "9" * 30], "name": ["guide", "audio"], "code": ["a:b:c", "1234"],
    "audience": ["everybody", "teams"],
    "licence": ["yes"], "title": ["The guidelines"], "subject": ["A room"], "people": ["a@example.org,annotator,x"],
    "doi": ["10.5281/zenodo.1"], "application": ["none"], "send": ["yes"],
}  # fmt: skip
"""Good values for what forms send."""


class Asked(NamedTuple):
    """A request, and who sends it: as a form, or in the address where an address takes no form."""

    asker: str
    address: str
    typed: str
    kind: str
    body: bytes


@cache
def addresses() -> dict[str, Path]:
    """Every address of the server, as its own lists have them, and the file with what answers there."""
    result = {}
    for path in sorted(SERVER.glob("*/urls.py")):
        for address, module in re.findall(r'^    path\("(.*?)", (\w+)\.', path.read_text("utf-8"), re.M):
            result[f"/{address}"] = path.with_name(f"{module}.py")
    return result


def subjects() -> list[str]:
    return [*addresses()]


@cache
def names(path: Path) -> list[str]:
    """What the code of a file calls what pages and programs send."""
    return sorted({*re.findall(SENT, path.read_text("utf-8"))})


@cache
def site() -> dict[str, list[str]]:
    """A site, and good values for what stands in addresses; it lasts as long as the process."""
    folder = rooms.beside_copy()
    site_database(Site(folder=str(folder), database=os.environ.get(DATABASE, ""), accounts=True)).__enter__()
    from django.test import Client

    from aune.server.accounts.models import Account, Invitation, Token
    from aune.server.campaign.models import Membership
    from aune.server.workbench.models import Layer, Project, Source, Text

    campaign = Campaign(folder)
    people = {role: Account.objects.create_account(role, role, None) for role in ASKERS[:-1]}
    [team] = [item for item in campaign.state.teams.values() if item.kind == "participant"]
    Membership.objects.create(account=people["participant"], team=team.id)
    client = Client(headers={"host": HOST})
    client.force_login(people["organiser"])
    for sample in ("coref/formats/samples/muc-two.sgm", "entities/formats/samples/conll-2003.conll"):
        with (SAMPLES / sample).open("rb") as file:
            assert client.post("/files", {"files": file}).status_code < 400
    assert client.post("/projects", {"name": "novels"}).status_code < 400
    for text in Text.objects.all():
        for name in ("one", "two"):
            assert client.post(f"/text/{text.pk}/layers", {"name": name}).status_code < 400
    layers = [str(key) for key in Layer.objects.values_list("pk", flat=True)]
    assert len(layers) >= 4
    Token.issue(people["participant"], "x")
    for text in Text.objects.all():
        two = [item.pk for item in text.layers.all()[:2]]
        assert client.post(f"/text/{text.pk}/adjudicate", {"layer": two}).status_code < 400
    layers = [str(key) for key in Layer.objects.values_list("pk", flat=True)]
    annotation = Layer.objects.filter(kind="annotation").first()
    assert annotation is not None
    comment = {"start": 0, "end": 3, "body": "x"}
    made = client.post(f"/api/layer/{annotation.pk}/comments", comment, content_type="application/json")
    assert made.status_code == 201
    return {
        **FIELDS, "start": layers, "against": layers, "beside": layers, "annotator": [people["annotator"].pk],
        "author": [person.pk for person in people.values()], "team": [team.id],
        "layer": layers, "other": layers, "text": [str(key) for key in Text.objects.values_list("pk", flat=True)],
        "project": [str(key) for key in Project.objects.values_list("pk", flat=True)],
        "comment": [made.json()["id"]],
        "source": [str(key) for key in Source.objects.values_list("pk", flat=True)], "mention": ["m1", "m9"],
        "account": [people["annotator"].pk], "token": [str(Token.objects.get().pk)], "dataset": [*campaign.state.keys],
        "submission": [*campaign.state.submissions], "dispute": [*campaign.state.disputes],
        "what": ["phase", "freeze", "licence", "consent", "withdraw", "validate", "member", "leave", "rename", "score",
                 "about", "attach", "detach", "message", "approve", "decline", "invite", "doi", "primary", "describe",
                 "disqualify", "reinstate"],
        "secret": [Invitation.issue("annotator")], "invitation": [str(item.pk) for item in Invitation.objects.all()],
    }  # fmt: skip


def make_request(generator: random.Random, pattern: str) -> Asked:
    """A damaged request to an address."""
    good = site()

    def fill_pattern(match: re.Match[str]) -> str:
        odd = match[1] != "int" and not generator.randrange(8)
        value = generator.choice(ODD)[:2000] if odd else generator.choice(good[match[2]]).encode()
        return quote_from_bytes(value, safe="") or "x"

    address = re.sub(r"<(\w+):(\w+)>", fill_pattern, pattern)
    every = [value for known in good.values() for value in known]
    fields = []
    for name in (name for name in names(addresses()[pattern]) if generator.randrange(4)):
        known = good.get(name, every)
        fields.append((name, generator.choice(known).encode() if generator.randrange(2) else generator.choice(ODD)))
    typed = "&".join(f"{name}={quote_from_bytes(value[:20_000])}" for name, value in fields)[:100_000]
    asker = generator.choice((*ASKERS, *["organiser"] * 4))
    last, damage = pattern.rstrip("/").rpartition("/")[2], [*SIGNS, b"\\u0000", b"1e5"]
    if last in BODIES and pattern.startswith("/api/") and generator.randrange(8):
        body = json.dumps(BODIES[last]).encode()
        return Asked(asker, address, typed, "application/json", mutate_data(generator, body, damage))
    if generator.randrange(3):
        return Asked(asker, address, typed, "application/x-www-form-urlencoded", typed.encode())
    return Asked(asker, address, typed, "multipart/form-data; boundary=edge", b"".join(_parts(generator, fields)))


def _parts(generator: random.Random, fields: list[tuple[str, bytes]]) -> Iterator[bytes]:
    """A form with files, damaged now and then."""
    samples = sorted((SAMPLES / "entities" / "formats" / "samples").iterdir())
    for name, value in fields:
        yield b'--edge\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), value)
    for name in ("file", "files", "table"):
        sample = generator.choice(samples)
        file, data = generator.choice([*FILES, (sample.name, sample.read_bytes())])
        head = f'--edge\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n\r\n'
        yield head.encode() + mutate_data(generator, data, SIGNS) + b"\r\n"
    yield b"--edge--\r\n"


def is_refused(request: Asked) -> bool:
    """Whether a request was refused; nothing that it changed in the database stays."""
    site()
    from django.db import transaction
    from django.test import Client

    from aune.server.accounts.models import Account

    client = Client(headers={"host": HOST})
    if request.asker != "nobody":
        client.force_login(Account.objects.get(name=request.asker))
    with transaction.atomic():
        answer = client.generic("POST", request.address, request.body, request.kind)
        if answer.status_code == 405:
            answer = client.get(f"{request.address}?{request.typed}")
        for _ in answer.streaming_content if answer.streaming else ():
            pass
        transaction.set_rollback(True)
    assert answer.status_code < 500, f"{answer.status_code}: {answer.getvalue()[:500]!r}"
    check_headers(answer.headers)
    return answer.status_code >= 400


SHOWN = ("text/html; charset=utf-8", "application/json", "text/plain", "text/plain; charset=utf-8")
"""What browsers may show: pages of ours, data, and texts."""


def check_headers(headers: Mapping[str, str]) -> None:
    """Whatever is sent: no browser guesses what it is, runs what is in it, keeps it, or is led elsewhere by it."""
    assert headers["X-Content-Type-Options"] == "nosniff" and "no-store" in headers["Cache-Control"]
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy.replace("style-src 'unsafe-inline'", ""), policy
    assert "frame-ancestors 'none'" in policy and "base-uri 'none'" in policy, policy
    kind = headers.get("Content-Type", SHOWN[0])
    assert kind in SHOWN or headers["Content-Disposition"].startswith("attachment"), kind
    for name in ("Location", "HX-Redirect"):
        assert re.match(r"/(?![/\\])|$", headers.get(name, "")), headers[name]
    assert not any(sign in value for value in headers.values() for sign in "\r\n\0")


def trials(seed: int, count: int, pattern: str) -> Iterator[tuple[bytes, Callable[[], bool]]]:
    """Damaged requests to one address, the same for the same seed."""
    generator = random.Random(f"{seed} {pattern}")
    for _ in range(count):
        item = make_request(generator, pattern)
        yield repr(item).encode(), partial(is_refused, item)
