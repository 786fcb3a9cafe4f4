"""Made the data in this folder, with the aune of a given commit. It is kept for the record: the data is not made again.

The fixtures are what users had on their disks when aune was at commit 7c98ea13 (version 0.2.0), before its modules were
renamed. `test_older_data.py` opens them with the aune of today. They were made in this way, from the root of this
repository:

    git clone -q . ../before && git -C ../before checkout -q 7c98ea13
    cd ../before
    PYTHONPATH=$PWD/src:$PWD python ../main/tests/compatibility/make.py ../main/tests/compatibility/data

(`python` is one with the extras of aune; PostgreSQL must be installed.) Every text is one of `examples/`. Whatever a
user would do is done by commands, or by requests to a real server. The exception are the two jobs that wait in each
site of a team: Django's test client asks for them while no worker runs. `expected.json` beside or in each fixture says
what the aune of that commit answered.

sites/sqlite.tar.xz         a site of a team on SQLite, which serves a campaign of coreference: `site/`, `expected.json`
sites/postgresql.tar.xz     the same on PostgreSQL: `site/` and `dump.sql`, made by pg_dump
sites/alone.tar.xz          a site of one person
sites/*-backup.tar.gz       `aune site backup` of the three
campaign/test.tar.xz        the folder of a tagging campaign in its test: one run is not scored yet
campaign/adjudication.tar.xz  the same campaign in its test adjudication: one dispute waits
campaign/publication.tar.xz   the same when results are public
campaign/backup.tar.gz      `aune campaign backup` of it then
campaign/archive.tar.xz     its archive
scores/                     results stored by `aune score … --rows` and as JSON, models of ATENE and of severity
"""

from __future__ import annotations

import io
import json
import lzma
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import zipfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import contents

import aune

BEFORE = Path(aune.__file__).resolve().parents[2]
sys.modules["tests"] = ModuleType("tests")  # those of the same checkout, whatever else is installed under this name
sys.modules["tests"].__path__ = [str(BEFORE / "tests")]

from tests.server import serving  # noqa: E402
from tests.server.serving import (  # noqa: E402
    BINARIES,
    PASSPHRASE,
    Client,
    Served,
    accept_invitation,
    enter_server,
    event,
    invite_person,
    layers_of,
)

EXAMPLES = BEFORE / "examples"


def main() -> None:
    target = Path(sys.argv[1]).resolve()
    assert serving.ROOT == BEFORE, "the tests must be those of the same checkout as aune"
    os.chdir(BEFORE)
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (("sites", make_sites), ("campaign", make_campaign), ("scores", make_scores)):
            if len(sys.argv) > 2 and name not in sys.argv[2:]:
                continue
            work = Path(folder, name)
            work.mkdir()
            shutil.rmtree(target / name, ignore_errors=True)
            (target / name).mkdir(parents=True)
            make(work, target / name)
    sys.exit("\n".join(traces_of_the_machine(target)) or 0)


def command(*words: str | Path, fails: bool = False) -> str:
    """What a command of aune prints."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "aune", *map(str, words)],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(BEFORE / "src")},
    )  # fmt: skip
    assert fails or done.returncode == 0, done.stderr
    return done.stdout


def put_json(target: Path, data: Any) -> None:
    target.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8")


def first_document(name: str) -> str:
    """The first document of a file of examples/coref."""
    lines = (EXAMPLES / "coref" / name).read_text("utf-8").splitlines(keepends=True)
    return "".join(lines[: lines.index("#end document\n") + 1])


# Sites.


def make_sites(work: Path, target: Path) -> None:
    make_team(work / "sqlite", target, "sqlite")
    with serving.postgresql() as fresh:
        address = fresh()
        make_team(work / "postgresql", target, "postgresql", "--database", address)
    make_alone(work / "alone", target)


def make_team(work: Path, target: Path, name: str, *database: str) -> None:
    site, packed = work / "site", work / "packed"
    packed.mkdir(parents=True)
    new_coref_campaign(site)
    with serving.serving(site, "--accounts", *database) as served:
        expected = worked_on(served)
        served.stopped()
        queue_jobs(served, expected["waiting"])
    command("site", "backup", site, target / f"{name}-backup.tar.gz", *database)
    shutil.copytree(site, packed / "site", ignore=shutil.ignore_patterns("work"))
    if database:
        dump(database[1], packed / "dump.sql")
    else:
        tidy(packed / "site" / "aune.sqlite")
    with serving.serving(site, "--accounts", *database) as served:
        expected["losses"][expected["waiting"]] = contents.losses(signed_in(served, "Olga"), expected["waiting"])
    expected["ledger"] = contents.ledger_kinds(packed / "site")
    put_json(packed / "expected.json", expected)
    contents.pack(target / f"{name}.tar.xz", packed)


def signed_in(served: Served, name: str) -> Client:
    client = served.stranger()
    client.get("/sign-in")
    assert client.form("/sign-in", name=name, passphrase=PASSPHRASE).status == 302
    return client


def tidy(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("VACUUM")


def queue_jobs(served: Served, layer: str) -> None:
    """Ask for the losses of a layer and for a board, while no worker is there to compute them."""
    queued = served.run_inside(QUEUED.format(layer=layer))
    assert sorted(queued) == ["campaign.board", "workbench.losses"], queued


QUEUED = """
import json
from django.test import Client
from aune.server.accounts.models import Account
from aune.server.jobs.models import Job
client = Client(headers={{"host": "127.0.0.1"}})
client.force_login(Account.objects.get(name="Olga"))
for page in ("/api/layer/{layer}/losses", "/campaign/results/try"):
    client.get(page)
print(json.dumps([*Job.objects.filter(state="queued").values_list("kind", flat=True)]))
"""


def new_coref_campaign(folder: Path) -> None:
    command("campaign", "new", "workbench-demo", "--task", "coref", "--folder", folder)
    protocol = folder / "campaign.toml"
    changed = protocol.read_text("utf-8").replace(".jsonl", ".conll").replace("draws = 10000", "draws = 200")
    protocol.write_text(changed, "utf-8")
    for key in (folder / "keys").iterdir():
        key.unlink()
    whole = (EXAMPLES / "coref" / "key.conll").read_text("utf-8")
    museum = first_document("key.conll")
    for name, text in (("train", whole.removeprefix(museum)), ("try", museum), ("final", whole)):
        (folder / "keys" / f"{name}.conll").write_text(text, "utf-8")


def worked_on(served: Served) -> dict[str, Any]:
    """What a team did, and what its pages answer in the end."""
    people = {"Olga": accept_invitation(served, served.printed, "Olga")}
    for name, role in (("Ann", "annotator"), ("Ben", "annotator"), ("Pat", "participant"), ("Quinn", "participant")):
        people[name] = accept_invitation(served, invite_person(people["Olga"], role), name)
    invite_person(people["Olga"], "annotator")  # one that nobody takes
    olga, ann, ben = people["Olga"], people["Ann"], people["Ben"]
    open_texts(olga)
    assign_texts(olga)
    annotate(ann, "lighthouse", first_opinion())
    annotate(ben, "lighthouse", second_opinion(), taken_back=True)
    annotate(ann, "key", [[["mentions", "e1", span(3, 8, None, "MISC")]]], done=False)
    key = adjudicate(olga, people)
    resolved = run_resolver(olga)
    submissions = take_part(people)
    drawing = draw_dispute(people["Pat"])
    seen = {name: contents.site_contents(client) for name, client in people.items()}
    pages = {
        name: contents.page_statuses(client, seen[name], *contents.PAGES_OF_CAMPAIGN, f"/adjudicate/{key}/")
        for name, client in people.items()
    }
    assert {status for statuses in pages.values() for status in statuses.values()} <= {200, 302, 403, 404, 422}
    lighthouse = layers_of(olga, "lighthouse")
    return {
        "passphrase": PASSPHRASE,
        "token": make_token(people["Pat"]),
        "drawing": drawing,
        "drawn": contents.layer_contents(people["Pat"], drawing),
        "seen": seen,
        "counts": {name: contents.counts(texts) for name, texts in seen.items()},
        "pages": pages,
        "key": key,
        "adjudication": contents.adjudication(olga, key),
        "compared": [lighthouse["Ann"], lighthouse["Ben"]],
        "comparison": contents.comparison(olga, lighthouse["Ann"], lighthouse["Ben"]),
        "waiting": layers_of(olga, "museum")["key.conll"],
        "losses": {resolved: contents.losses(olga, resolved)},
        "edited": layers_of(ann, "key")["Ann"],
        "assigned": {name: contents.links(people[name].get("/campaign/annotate").text, "layer")
                     for name in ("Ann", "Ben")},
        "submissions": {submission: contents.scored_status(people[name], submission)
                        for name, submission in submissions.items()},
        "submitted_by": submissions,
    }  # fmt: skip


def open_texts(olga: Client) -> None:
    """Three files, four texts; a system's output becomes a layer of two of them."""
    assert olga.upload(EXAMPLES / "coref" / "key.conll", EXAMPLES / "workbench" / "lighthouse.sgm").status == 302
    assert olga.upload(EXAMPLES / "entities" / "key.conll", task="entities").status == 302
    museum = serving.text_of(olga, "museum")
    olga.get(museum)
    brought = olga.upload(EXAMPLES / "coref" / "strings.conll", to=f"{museum}import")
    assert brought.status in (200, 302), brought.text


def assign_texts(olga: Client) -> None:
    page = olga.get("/campaign/annotate").text
    annotators = re.findall(r'name="annotator" value="([\w-]+)"', page)
    assert len(annotators) == 2
    send(olga, "/campaign/annotate/assign", ("each", "2"), *(("annotator", name) for name in annotators))


def send(client: Client, path: str, *fields: tuple[str, str]) -> serving.Answer:
    """Send a form in which a field may occur several times."""
    body = urllib.parse.urlencode([("csrfmiddlewaretoken", client.csrf), *fields]).encode()
    answer = client.ask(path, body, {"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status == 302, answer.text
    return answer


TEXT = (EXAMPLES / "workbench" / "lighthouse.sgm").read_text("utf-8")


def span(start: int, end: int, chain: str | None, label: str = "", **features: str) -> dict[str, Any]:
    return {"parts": [[start, end]], "order": 0, "chain": chain, "features": features, "label": label}


def first_opinion() -> list[list[list[Any]]]:
    """Events of lighthouse: two chains with a relation between them, a mention in two parts, a zero."""
    zero = {"parts": [[150, 150]], "order": 1, "chain": "c1", "features": {"kind": "zero"}, "label": ""}
    parts = {"parts": [[30, 36], [40, 46]], "order": 0, "chain": None, "features": {}, "label": ""}
    return [
        [["chains", "c1", {"name": "Marguerite Lenoir", "notes": "the keeper", "features": {"gender": "f"}}]],
        [["mentions", "m1", span(0, 17, "c1", kind="name")], ["mentions", "m2", span(27, 36, None, kind="noun")]],
        [["chains", "c2", {"name": "the tower"}], ["mentions", "m2", span(27, 36, "c2", kind="noun")]],
        [["mentions", "m3", span(80, 83, "c1", kind="pronoun")]],
        [["relations", "r1", {"kind": "part", "source": "c2", "targets": ["c1"]}]],
        [["mentions", "m4", zero]],
        [["mentions", "m5", parts]],
    ]


def second_opinion() -> list[list[list[Any]]]:
    """Events of lighthouse that differ in an extent, a kind and a chain."""
    return [
        [["chains", "c1", {"name": "Lenoir"}], ["chains", "c2", {"name": "the tower"}]],
        [["mentions", "m1", span(0, 17, "c1", kind="name")]],
        [["mentions", "m2", span(27, 36, "c2", kind="name")]],
        [["mentions", "m3", span(80, 83, "c2", kind="pronoun")]],
        [["mentions", "m4", span(100, 110, "c2", kind="noun")]],
    ]


def annotate(
    client: Client, text: str, steps: list[list[list[Any]]], *, taken_back: bool = False, done: bool = True
) -> None:
    """Somebody's layer: all steps, the last one undone and perhaps done again, and the layer is done."""
    client.get(serving.text_of(client, text))
    name = "Ben" if taken_back else "Ann"
    api = f"/api/layer/{layers_of(client, text)[name]}/"
    for step in steps:
        act(client, api, event(*step))
    last = client.get(api).json["layer"]["version"]
    inverse = client.get(f"{api}inverse/{last}").json
    act(client, api, event(*inverse["changes"], undoes=last))
    if not taken_back:
        act(client, api, event(*inverse["again"], redoes=last))
    if done:
        assert client.post(f"{api}done", {"done": True}).status == 200


def act(client: Client, api: str, event: dict[str, Any]) -> None:
    base = client.get(api).json["layer"]["version"]
    answer = client.post(f"{api}events", {"base": base, "events": [event]})
    assert answer.status == 200, answer.text


def adjudicate(olga: Client, people: dict[str, Client]) -> str:
    """A key of lighthouse with three decisions, one of them undone; some questions stay open."""
    text, lighthouse = serving.text_of(olga, "lighthouse"), layers_of(olga, "lighthouse")
    olga.get(text)
    fields = (("name", "gold"), ("layer", lighthouse["Ann"]), ("layer", lighthouse["Ben"]))
    key = send(olga, f"{text}adjudicate", *fields).headers["Location"].strip("/").rpartition("/")[2]
    api = f"/api/layer/{key}/adjudication"
    questions = olga.get(api).json
    assert questions["mentions"] and questions["features"], questions["open"]
    decide(olga, api, operation="reject", about=[questions["mentions"][0]["about"]], reason="no mention")
    feature = questions["features"][0]
    value = feature["choices"][0]["value"]
    decide(olga, api, operation="describe", about=[feature["about"], "kind"], value=value, reason="so it is")
    decide(olga, api, operation="undo")
    api_of_ben = f"/api/layer/{lighthouse['Ben']}/"
    assert people["Ben"].post(f"{api_of_ben}done", {"done": False}).status == 200
    act(people["Ben"], api_of_ben, event(["mentions", "m9", span(200, 210, "c1")]))
    assert people["Ben"].post(f"{api_of_ben}done", {"done": True}).status == 200
    return key


def decide(client: Client, api: str, **decision: Any) -> None:
    answer = client.post(api, {"base": client.get(api).json["layer"]["version"], **decision})
    assert answer.status == 200, answer.text


def run_resolver(client: Client) -> str:
    """The layer of a file, of which a resolver made another layer."""
    layer = layers_of(client, "storm")["key.conll"]
    client.get(f"/resolve/{layer}/")
    assert client.form(f"/resolve/{layer}/run", resolver="activation").status == 302
    return layer


def take_part(people: dict[str, Client]) -> dict[str, str]:
    """Two teams send runs in the dry run, which is over afterwards. Their submissions."""
    olga = people["Olga"]
    for name, team, consent in (("Pat", "Team Pat", "named"), ("Quinn", "Team Quinn", "anonymous")):
        client = people[name]
        client.get("/campaign/")
        assert client.form("/campaign/register", name=team, country="France").status == 302
        client.get("/campaign/team")
        assert client.form("/campaign/team/licence").status == 302
        assert client.form("/campaign/team/consent", consent=consent).status == 302
    assert people["Pat"].form("/campaign/notices/address", email="pat@example.org").status == 302
    go_to(olga, "training")
    go_to(olga, "dry run")
    submissions = {}
    for name, system in (("Pat", "neural"), ("Quinn", "strings")):
        file = f"{system}.conll", first_document(f"{system}.conll").encode()
        answer = submit(people[name], "try", system, file)
        submissions[name] = answer.headers["Location"].rpartition("/")[2]
        assert contents.scored_status(people[name], submissions[name])["state"] == "scored"
    go_to(olga, "dry adjudication")
    people["Pat"].get("/campaign/key/try")
    return submissions


def draw_dispute(pat: Client) -> str:
    """The layer on which a participant changed the key: a mention is missing."""
    pat.get("/campaign/key/try")
    drawn = pat.form("/campaign/draw/try", document="")
    assert drawn.status == 302, drawn.text
    layer = drawn.headers["Location"].split("/")[2]
    mentions = pat.get(f"/api/layer/{layer}/").json["state"]["mentions"]
    chains = Counter(mention["chain"] for mention in mentions.values())
    name = next(name for name, mention in mentions.items() if chains[mention["chain"]] > 2)
    act(pat, f"/api/layer/{layer}/", event(["mentions", name, None]))
    return layer


def make_token(client: Client) -> str:
    client.get("/account")
    token = re.search(r"aune_[\w-]+", client.form("/account/tokens", name="script").text)
    assert token
    return token[0]


def go_to(olga: Client, phase: str) -> None:
    olga.get("/campaign/manage")
    answer = olga.form("/campaign/manage/phase", phase=phase)
    assert answer.status == 302, answer.text


def submit(client: Client, dataset: str, run: str, file: tuple[str, bytes]) -> serving.Answer:
    client.get("/campaign/team")
    edge = "aune-fixture"
    name, data = file
    body = (
        f'--{edge}\r\nContent-Disposition: form-data; name="run"\r\n\r\n{run}\r\n'
        f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    ).encode() + data + f"\r\n--{edge}--\r\n".encode()  # fmt: skip
    kind = {"Content-Type": f"multipart/form-data; boundary={edge}", "X-CSRFToken": client.csrf}
    answer = client.ask(f"/campaign/submit/{dataset}", body, kind)
    assert answer.status == 302, answer.text
    return answer


def dump(address: str, target: Path) -> None:
    """The tables as plain SQL that any client of PostgreSQL may run."""
    home = next(path for path in BINARIES if (path / "pg_dump").exists())
    options = ["--inserts", "--rows-per-insert=50", "--no-owner", "--no-privileges"]
    done = subprocess.run([home / "pg_dump", *options, address], capture_output=True, text=True, check=True)
    newer = re.compile(r"^(\\(un)?restrict .*|SET transaction_timeout = 0;)\n", re.MULTILINE)
    target.write_text(newer.sub("", done.stdout), "utf-8")


def make_alone(work: Path, target: Path) -> None:
    """A site of one person, with a layer of their own and one of a resolver."""
    work.mkdir()
    site = work / "site"
    files = [EXAMPLES / "coref" / "key.conll", EXAMPLES / "workbench" / "lighthouse.sgm"]
    with serving.serving(site, *files) as served:
        me = enter_server(served)
        text = serving.text_of(me, "lighthouse")
        me.get(text)
        assert me.form(f"{text}layers", name="Ann").status == 302
        annotate(me, "lighthouse", first_opinion(), done=False)
        run_resolver(me)
        seen = contents.site_contents(me)
        expected = {
            "seen": seen, "counts": contents.counts(seen), "pages": contents.page_statuses(me, seen),
            "edited": layers_of(me, "lighthouse")["Ann"],
        }  # fmt: skip
        served.stopped()
        command("site", "backup", site, target / "alone-backup.tar.gz")
    shutil.rmtree(site / "work", ignore_errors=True)
    tidy(site / "aune.sqlite")
    put_json(work / "expected.json", expected)
    contents.pack(target / "alone.tar.xz", work)


# A campaign in a folder.


def make_campaign(work: Path, target: Path) -> None:
    """A tagging campaign from the call to the archive, with a snapshot of its folder at three places."""
    os.chdir(work)
    Path("files").mkdir()
    for name in ("key", "rules", "neural", "table"):
        shutil.copy(EXAMPLES / "tagging" / f"{name}.tsv", "files")
    for name in ("key", "rules", "neural"):
        sentences = Path("files", f"{name}.tsv").read_text("utf-8").split("\n\n")
        Path("files", f"{name}-try.tsv").write_text("\n\n".join(sentences[:3]) + "\n", "utf-8")
    new_tagging_campaign()
    expected: dict[str, Any] = {}
    dry_run(expected)
    test(expected, target)
    adjudication(expected, target)
    publication(expected, target)
    (target / "expected.json.xz").write_bytes(lzma.compress(json.dumps(expected, ensure_ascii=False).encode()))
    os.chdir(BEFORE)


def new_tagging_campaign() -> None:
    command("campaign", "new", "demo", "--task", "tagging")
    protocol = Path("demo/campaign.toml").read_text("utf-8")
    for before, after in (('"upos"', '"grace"'), ("draws = 10000", "draws = 200"), ("seconds = 600", "seconds = 300")):
        assert before in protocol
        protocol = protocol.replace(before, after)
    Path("demo/campaign.toml").write_text(protocol, "utf-8")
    for name, key in (("train", "key-try"), ("try", "key-try"), ("final", "key")):
        shutil.copy(f"files/{key}.tsv", f"demo/keys/{name}.tsv")
    key = Path("files/key.tsv").read_text("utf-8")
    Path("files/ann.tsv").write_text(key.replace("Ncmp|Nc-p", "Ncmp", 1), "utf-8")
    Path("files/ben.tsv").write_text(key.replace("mal\tRgp", "mal\tNcms", 1), "utf-8")
    people = ("--annotator", "files/ann.tsv", "--annotator", "files/ben.tsv", "--author", "Josette")
    command("campaign", "key", "demo", "final", "files/key.tsv", *people)
    for team, country, consent, *member in (
        ("Les Règles", "FR", "named", "--member", "Ann <ann@example.org>"),
        ("Neural Labs", "DE", "anonymous"),
        ("Too Late", "IT", "listed"),
    ):
        command("campaign", "team", "demo", team, "--country", country, *member)
        command("campaign", "accept", "demo", team)
        command("campaign", "consent", "demo", team, consent)


def submit_here(team: str, file: str, data: str, *more: str) -> str:
    return json.loads(command("campaign", "submit", "demo", file, "--team", team, "--data", data, *more))["submission"]


def dispute(edit: dict[str, Any], data: str, team: str) -> str:
    words = (json.dumps(edit), "--argument", "it is another tag", "--team", team)
    return command("campaign", "dispute", "demo", data, data, *words).strip()


def board(data: str, viewer: str = "visitor", folder: str = "demo") -> Any:
    return json.loads(command("campaign", "publish", folder, data, "--as", viewer, "--format", "json"))


def go(*phases: str) -> None:
    for phase in phases:
        command("campaign", "phase", "demo", phase)


def dry_run(expected: dict[str, Any]) -> None:
    go("training", "dry-run")
    command("campaign", "handout", "demo", "try", "handout", "--as", "Les Règles")
    command("campaign", "check", "files/rules-try.tsv", "--handout", "handout")
    submit_here("Les Règles", "files/rules-try.tsv", "try")
    submit_here("Neural Labs", "files/neural-try.tsv", "try", "--table", "files/table.tsv")
    go("dry-adjudication")
    accepted = dispute({"word": 1, "tags": "Ncms|Ncfs"}, "try", "Les Règles")
    refused = dispute({"word": 2, "tags": "Ncms"}, "try", "Les Règles")
    command("campaign", "decide", "demo", accepted, "accepted", "--author", "Josette", "--reason", "it may be both")
    command("campaign", "decide", "demo", refused, "refused", "--author", "Josette", "--reason", "it is not")
    command("campaign", "rekey", "demo", "try")
    command("campaign", "score", "demo")
    expected["try"] = board("try", "organiser")


def test(expected: dict[str, Any], target: Path) -> None:
    go("test")
    expected["runs"] = {
        "rules": submit_here("Les Règles", "files/rules.tsv", "final", "--run", "rules"),
        "neural": submit_here("Neural Labs", "files/neural.tsv", "final", "--table", "files/table.tsv"),
    }
    command("campaign", "baseline", "demo", "most_frequent", "final")
    late = ("campaign", "submit", "demo", "files/neural.tsv", "--team", "Too Late", "--data", "final")
    command(*late, fails=True)  # has tags that the pivot does not have, and no table: refused
    expected["unscored"] = submit_here("Too Late", "files/ann.tsv", "final", "--run", "last", "--later")
    snapshot(expected, target, "test")
    command("campaign", "score", "demo")
    expected["final before disputes"] = board("final", "organiser")


def adjudication(expected: dict[str, Any], target: Path) -> None:
    go("test-adjudication")
    expected["dispute"] = dispute({"word": 14, "tags": "Vmip3s-|Ncfs"}, "final", "Les Règles")
    expected["disputes"] = json.loads(command("campaign", "disputes", "demo", "--format", "json"))
    snapshot(expected, target, "adjudication")


def publication(expected: dict[str, Any], target: Path) -> None:
    decision = ("accepted", "--author", "Josette", "--reason", "seen so by the annotators")
    command("campaign", "decide", "demo", expected["dispute"], *decision)
    command("campaign", "rekey", "demo", "final")
    command("campaign", "score", "demo")
    command("campaign", "validate", "demo", "Les Règles")
    go("publication")
    expected["final"] = board("final")
    snapshot(expected, target, "publication")
    command("campaign", "backup", "demo", target / "backup.tar.gz")
    go("archive")
    command("campaign", "archive", "demo", "archive")
    expected["archive"] = board("final")
    expected["head"] = contents_head(Path("demo"))
    print(command("campaign", "verify", "archive", "--head", expected["heads"]["publication"]))
    contents.pack(target / "archive.tar.xz", Path("archive"))


def contents_head(folder: Path) -> str:
    """The head of a ledger, as a receipt or a publication shows it."""
    shown = command("campaign", "show", folder)
    match = re.search(r"\bhead\s+([0-9a-f]{64})\b", shown)
    assert match, shown
    return match[1]


def snapshot(expected: dict[str, Any], target: Path, name: str) -> None:
    expected.setdefault("ledgers", {})[name] = contents.ledger_kinds(Path("demo"))
    expected.setdefault("heads", {})[name] = contents_head(Path("demo"))
    contents.pack(target / f"{name}.tar.xz", Path("demo"), without=("work",))


# Stored results.


def make_scores(work: Path, target: Path) -> None:
    """Counts of every unit in Parquet, and what `aune score` said of them as JSON."""
    speech = [f"examples/speech/{name}.jsonl" for name in ("key", "north", "south")]
    coref = [f"examples/coref/{name}.conll" for name in ("key", "strings", "neural")]
    train = ("--features", "words,affixes", "--normalise", "en")
    (work / "examples").symlink_to(EXAMPLES)
    os.chdir(work)  # paths in results are those that were typed
    command("speech", "train", "atene", "examples/speech/train.jsonl", *train, "--output", "atene.npz")
    learnt = ("--model", "atene.npz", "--normalise", "en")
    command("speech", "train", "severity", *speech, *learnt, "--output", "severity.json")
    models = (*learnt, "--weights", "severity.json")
    for name, task, files, options in (("coref", "coref", coref, ()), ("speech", "speech", speech, models)):
        score = ("score", task, *files, "-m", "all", *options)
        scores = command(*score, "--rows", target / f"{name}-rows", "--json")
        (target / f"{name}.json").write_text(scores, "utf-8")
        stored = ("score", "--from-rows", target / f"{name}-rows", "--json", "--quiet")
        for part, more in (("by-document", ("--by", "document")), ("intervals", ("--ci", "--draws", "200"))):
            (target / f"{name}-{part}.json.xz").write_bytes(lzma.compress(command(*stored, *more).encode()))
    atene = (*learnt, "-m", "atene,atene_ds,atene_i", "--json")
    (target / "atene.json.xz").write_bytes(lzma.compress(command("score", "speech", *speech, *atene).encode()))
    for model in ("atene.npz", "severity.json"):
        shutil.copy(model, target)
    os.chdir(BEFORE)


# What must not be in the data.

PATHS = re.compile(rb"(?<![\w.:/-])/(?:work|tmp|root|home|usr|opt)/[\w.-]+")
ADDRESSES = re.compile(rb"https?://(?!localhost|127\.0\.0\.1|(?:[\w-]+\.)*example(?:\.org|\.com|\b))([\w.-]+)")
NOT_FETCHED = {
    b"www.w3.org": "names of XML vocabularies",
}


def traces_of_the_machine(folder: Path) -> list[str]:
    """Paths of this machine and addresses in the fixtures, in archives too."""
    result = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            result += [f"{path.relative_to(folder)}: {trace}" for trace in sorted(traces(path.name, path.read_bytes()))]
    return result


def traces(name: str, data: bytes) -> set[str]:
    result = {match[0].decode() for match in PATHS.finditer(data)}
    result |= {match[0].decode() for match in ADDRESSES.finditer(data) if match[1] not in NOT_FETCHED}
    if name.endswith(".json.xz"):
        inside = {"": lzma.decompress(data)}
    elif re.search(r"\.tar(\.\w+)?$", name):
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            inside = {member.name: file.read() for member in archive if (file := archive.extractfile(member))}
    elif zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            inside = {member: archive.read(member) for member in archive.namelist()}
    else:
        inside = {}
    return result | {f"{member}: {trace}" for member, content in inside.items() for trace in traces(member, content)}


if __name__ == "__main__":
    main()
