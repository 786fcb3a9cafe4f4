"""A new campaign: a folder with a commented protocol and small texts, which can be used immediately."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aune.campaign.campaign import Campaign
from aune.campaign.keys.texts import check_task
from aune.campaign.protocol.phases import CALL
from aune.campaign.protocol.protocol_file import NAME_PATTERN, PLACEHOLDER_LICENCE, PROTOCOL_FILE, read_protocol
from aune.campaign.runs.job_folders import remove_stale_folders
from aune.contract import registry
from aune.errors import UsageError
from aune.files import is_vacant, write_atomically
from aune.privacy import FOLDER_MODE, OTHERS, describe_tightening, make_private_folder, tighten_folder

PROTOCOL_TEMPLATE = """\
# The protocol of an evaluation campaign of aune. Every participant can read this file; keys are named here, not shown.
# Paths are those of files in this folder. `aune campaign show .` checks it and says what it means.

[campaign]
name = "{name}"
title = "{name}"
task = "{task}"{task_pad}# see `aune list tasks`
zone = "UTC"                   # deadlines are shown in UTC, in this zone (such as "Europe/Paris") and in AoE
licence = "licence.txt"        # accepted before anything is handed out
# contact = "organisers@example.org"
registration = "invitation"    # how teams come to a server; or "approval": by applications that you approve

# When phases end. A time is an instant: 2026-03-28T23:59:00Z, "2026-03-28 23:59 AoE", "2026-03-29 12:00 Europe/Paris".
# Without a time, a phase lasts until the organiser ends it; `false` leaves one out.
[phases]
# "dry run" = "2026-03-28 23:59 AoE"
# test = "2026-06-28 23:59 AoE"

# Conditions: hub and spokes, manual and automatic transcripts… Every dataset belongs to one.
[[conditions]]
name = "main"
title = "the texts as they are"

# Tracks: data with a task and measures of their own (track = "names" in the table of the data).
# [[tracks]]
# name = "names"
# task = "entities"
# scoring.ranking = "f_measure"

# What is handed out in a phase (training, dry run or test), and the key that runs are scored with. aune strips the key
# to make the texts; `texts` names another file when more is handed out than the key covers. `annotators` are several
# people's versions of the key, for their agreement: annotators = {{ ann = "keys/ann.tsv", ben = "keys/ben.tsv" }}
[[data]]
name = "train"
phase = "training"
condition = "main"
key = "keys/train{ending}"

[[data]]
name = "try"
phase = "dry run"
condition = "main"
key = "keys/try{ending}"

[[data]]
name = "final"
phase = "test"
condition = "main"
key = "keys/final{ending}"

[scoring]
ranking = "{ranking}"{ranking_pad}# one measure ranks, the others are shown beside it: see `aune list measures {task}`
measures = [{measures}]
unit = "{unit}"{pad}# what intervals and tests are made from: document, sentence, utterance…
test = "randomisation"         # of two runs: runs that do not differ significantly share a rank group
level = 0.95
draws = 10000
seed = 1
correction = "holm"
rank = "primary"               # the primary run of each team is ranked and tested, its others are listed; or "all"

# A scorer of your own: a program that reads key and run and prints JSON (ranking = "scorer"); see docs/campaign.md.
# [scoring.scorer]
# file = "scorer/score.py"
# kind = "program"
# values = ["score"]

# Any option of the task and its measures: see `aune list options {task}`.
[scoring.options]
{options}

{referential}# Submissions of each team to each dataset: valid ones, and all. What was our fault counts for neither.
# Disputes of each team about the key of each dataset; those that are accepted do not count.
[quotas."dry run"]
valid = 20
total = 60
disputes = 100

[quotas.test]
valid = 3
total = 10
disputes = 100

# The share of the words handed out that a run may leave out, add or change: 0.01 is one in a hundred.
[coverage]
different = 0.0                # a run that is not about the whole text is refused

# What teams are asked to say of each run: text, which is published with the runs.
# [[metadata]]
# name = "resources"
# title = "Training data and other resources"
# required = true

# What is held back from the public until a later phase than usual: see docs/campaign.md.
[public]
# names = "archive"
# "test key" = "never"         # of a licensed corpus: only results and commitments are published

# After the archive: runs are taken again for data of the test, on a board of their own.
# [open]
# data = ["final"]

# What an upload may weigh (bytes, files), and what scoring it may take (seconds, bytes of memory).
[limits]
upload = 100000000
unpacked = 500000000
files = 10000
ratio = 200
seconds = 600
memory = 4000000000
"""

REFERENTIAL = """\
# The common referential: a pivot tagset, which runs use, or which their correspondence tables lead into.
[referential]
pivot = "upos"
version = "1"

"""

LICENCE = f"{PLACEHOLDER_LICENCE} Participants accept it before they get them.\n"

TEXTS = {
    "tagging": (".tsv", [
        "The\tDET\ncat\tNOUN\nsleeps\tVERB\n.\tPUNCT\n\nIt\tPRON\ndreams\tVERB\n.\tPUNCT\n",
        "A\tDET\ndog\tNOUN\nbarks\tVERB\n.\tPUNCT\n\nThe\tDET\ncat\tNOUN\nruns\tVERB\n.\tPUNCT\n",
        "The\tDET\nold\tADJ\ndog\tNOUN\nsleeps\tVERB\nnow\tADV\n.\tPUNCT\n\nA\tDET\ncat\tNOUN\nwatches\tVERB\nit\tPRON\n.\tPUNCT\n",
    ]),
    "entities": (".conll", [
        "Ann\tB-PER\nlives\tO\nin\tO\nOslo\tB-LOC\n.\tO\n",
        "Ben\tB-PER\nleft\tO\nNew\tB-LOC\nYork\tI-LOC\n.\tO\n",
        "Cleo\tB-PER\nmet\tO\nDan\tB-PER\nin\tO\nRome\tB-LOC\n.\tO\n\nAcme\tB-ORG\nhired\tO\nher\tO\n.\tO\n",
    ]),
    "coref": (".jsonl", [
        '{"doc_key":"a","sentences":[["Ann","met","her","sister","."]],"clusters":[[[0,0],[2,2]]]}\n',
        '{"doc_key":"b","sentences":[["Ben","lost","his","key","."],["He","found","it","."]],"clusters":[[[0,0],[2,2],[5,5]],[[2,3],[7,7]]]}\n',
        '{"doc_key":"c","sentences":[["Cleo","called","Dan","."],["She","told","him","."]],"clusters":[[[0,0],[4,4]],[[2,2],[6,6]]]}\n',
    ]),
    "speech": (".jsonl", [
        '{"id":"u1","text":"good morning to you"}\n{"id":"u2","text":"and to you"}\n',
        '{"id":"u3","text":"it is cold today"}\n{"id":"u4","text":"yes it is"}\n',
        '{"id":"u5","text":"the train leaves at nine"}\n{"id":"u6","text":"we have an hour"}\n',
    ]),
    "anaphora": (".jsonl", [
        '{"document":"a","anaphors":[{"anaphor":"2","antecedents":["0"],"candidates":["0","1"]}]}\n',
        '{"document":"b","anaphors":[{"anaphor":"5","antecedents":["3"],"candidates":["0","3"]}]}\n',
        '{"document":"c","anaphors":[{"anaphor":"4","antecedents":["0"],"candidates":["0","2"]},{"anaphor":"6","antecedents":["2"],"candidates":["0","2"]}]}\n',
    ]),
}  # fmt: skip


def create_campaign(folder: Path, name: str, task: str) -> Campaign:
    """Create a campaign in a new folder."""
    check_task(task)
    if not NAME_PATTERN.fullmatch(name):
        raise UsageError(f"{name!r}: expected a name of letters, digits, '.', '_' and '-'")
    if not is_vacant(folder):
        raise UsageError(f"{folder}: there is something already: name a new folder")
    make_private_folder(folder)
    folder.chmod(FOLDER_MODE)
    make_private_folder(folder / "keys")
    ending, texts = TEXTS[task]
    for part, text in zip(("train", "try", "final"), texts, strict=True):
        write_atomically(folder / "keys" / f"{part}{ending}", text.encode(), private=True)
    write_atomically(folder / "licence.txt", LICENCE.encode(), private=True)
    home = registry.task(task)
    usual = [measure for measure in home.comparing.measures if measure != home.ranking][:3]
    unit = UNITS.get(task, "document")
    protocol_text = PROTOCOL_TEMPLATE.format(
        name=name, task=task, ending=ending, ranking=home.ranking, unit=unit, pad=" " * (22 - len(unit)),
        task_pad=" " * (22 - len(task)), ranking_pad=" " * max(2, 19 - len(home.ranking)),
        measures=", ".join(f'"{measure_name}"' for measure_name in (USUAL_MEASURES.get(task) or usual)),
        options='tagset = "upos"' if task == "tagging" else "# case = \"fold\"",
        referential=REFERENTIAL if task == "tagging" else "",
    )  # fmt: skip
    write_atomically(folder / PROTOCOL_FILE, protocol_text.encode(), private=True)
    read_protocol(folder)
    return open_campaign(folder)


USUAL_MEASURES = {"tagging": ["accuracy"]}
UNITS = {"tagging": "sentence", "entities": "sentence", "speech": "utterance"}
"""The default units of tests: a file often has only one document, too few for a test."""


def open_campaign(folder: Path, tell: Callable[[str], None] = lambda note: None) -> Campaign:
    """Open the campaign of a folder; a new ledger begins with the call. Files that killed processes left are removed.

    If other users of the machine could read the folder, that is corrected, and `tell` reports it.
    """
    campaign = Campaign(folder)
    if folder.stat().st_mode & OTHERS and (count := tighten_folder(folder)):
        tell(describe_tightening(folder, count))
    campaign.store.remove_partials()
    remove_stale_folders(folder)
    with campaign.writing() as writer:
        if not writer.entries:
            writer.append("phase", {"phase": CALL})
    return campaign
