"""A campaign for those who must run it on Codabench: a competition bundle whose scoring program is aune.

The image that the platform runs must have aune installed. A submission is scored as here: the same check, the same
options, the same digits; a refusal goes to standard error, with every problem.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aune.campaign.archives import packed
from aune.campaign.campaign import Campaign
from aune.campaign.instants import stamp
from aune.campaign.jobs import run_in
from aune.campaign.ledger import canonical
from aune.campaign.phases import SUBMITTING
from aune.campaign.protocol import FILE
from aune.core import registry
from aune.core.errors import Problem
from aune.core.files import write_whole

PROGRAM = "import sys\n\nfrom aune.campaign.codabench import scored\n\nsys.exit(scored(sys.argv[1], sys.argv[2]))\n"
METADATA = "command: python3 /app/program/score.py /app/input /app/output\ndescription: scored by aune\n"
LONGEST = 3600  # seconds that the platform may take for a submission


def bundle(campaign: Campaign, image: str = "") -> bytes:
    """The competition bundle of a campaign, as a zip archive."""
    plan, state = campaign.protocol, campaign.state
    datasets = [one for phase in SUBMITTING for one in plan.of_phase(phase) if state.version(one.name)]
    files = {
        "competition.yaml": _yaml(_competition(campaign, image)).encode(),
        "terms.md": campaign.store.get(plan.files[plan.licence]) if _is_kept(campaign) else b"See the organisers.\n",
        "overview.md": f"# {plan.title}\n\nScored by aune: {plan.scoring.ranking}, {plan.scoring.value}.\n".encode(),
        "logo.png": _square(),
        "scoring_program.zip": packed({"score.py": PROGRAM.encode(), "metadata.yaml": METADATA.encode()}),
    }
    for one in datasets:
        files[f"reference_{one.name}.zip"] = packed(_reference(campaign, one.name))
    return packed(files)


def _is_kept(campaign: Campaign) -> bool:
    plan = campaign.protocol
    return plan.licence in plan.files and plan.files[plan.licence] in campaign.store


def _reference(campaign: Campaign, dataset: str) -> dict[str, bytes]:
    """What a scoring program needs: the job without its run, and the files."""
    plan, state = campaign.protocol, campaign.state
    chosen, texts = campaign.dataset(dataset), state.texts[dataset]
    key = f"key/{Path(chosen.key).name}"
    job = {
        "kind": "score", "dataset": dataset, "version": state.version(dataset), "key": key,
        "key_format": chosen.format, "texts": {"name": texts.name, "format": texts.format},
        "limits": {"seconds": plan.limits.seconds, "memory": plan.limits.memory},
    }  # fmt: skip
    files = {path: (campaign.folder / path).read_bytes() for path in plan.files}
    return {
        **files,
        FILE: plan.text.encode(),
        "job.json": canonical(job),
        key: campaign.store.get(state.keys[dataset][-1].digest),
        "texts": campaign.store.get(texts.digest),
    }


def scored(given: str, output: str) -> int:
    """Score a submission as the platform lays it out: `input/ref`, `input/res`, and `output/scores.json`."""
    reference, response = Path(given, "ref"), Path(given, "res")
    room = Path(output, "work")
    files = sorted(path for path in response.rglob("*") if path.is_file() and not path.name.startswith("."))
    table = next((path for path in files if path.name in ("table.tsv", "table.toml")), None)
    sent = {str(path.relative_to(response)): path.read_bytes() for path in files if path != table}
    job = json.loads((reference / "job.json").read_bytes())
    name = next(iter(sent), "submission")
    run = {"id": "run", "name": name if len(sent) == 1 else "submission.zip", "upload": "upload",
           "table": table.name if table else "", "table_name": table.name if table else ""}  # fmt: skip
    for path in (one for one in reference.rglob("*") if one.is_file()):
        target = room / path.relative_to(reference)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    (room / "upload").write_bytes(next(iter(sent.values()), b"") if len(sent) < 2 else packed(sent))
    if table:
        (room / table.name).write_bytes(table.read_bytes())
    (room / "job.json").write_bytes(canonical({**job, "runs": [run]}))
    found = run_in(room, int(job["limits"]["seconds"]))
    for problem in found["problems"]:
        print(Problem(*problem), file=sys.stderr)
    if found["state"] != "scored":
        return 3
    scores = {
        f"{one['measure'].rpartition('.')[2]}_{value}": number
        for one in found["scores"]
        for value, number in one["values"].items()
        if number is not None
    }
    write_whole(Path(output, "scores.json"), json.dumps(scores, indent=1).encode())
    return 0


def _competition(campaign: Campaign, image: str) -> dict[str, Any]:
    plan, state = campaign.protocol, campaign.state
    datasets = [one for phase in SUBMITTING for one in plan.of_phase(phase) if state.version(one.name)]
    return {
        "version": 2,
        "title": plan.title,
        "description": f"A campaign of {plan.task}",
        "image": "logo.png",
        "terms": "terms.md",
        **({"docker_image": image} if image else {}),
        "pages": [{"title": "Overview", "file": "overview.md"}],
        "tasks": [
            {
                "index": number,
                "name": one.name,
                "description": f"{one.phase}, {one.condition}",
                "reference_data": f"reference_{one.name}.zip",
                "scoring_program": "scoring_program.zip",
            }
            for number, one in enumerate(datasets)
        ],
        "phases": _phases(campaign),
        "leaderboards": [
            {
                "title": "Results",
                "key": "results",
                "submission_rule": "Force_Last",
                "columns": list(_columns(campaign)),
            }
        ],
    }


def _phases(campaign: Campaign) -> list[dict[str, Any]]:
    plan, state = campaign.protocol, campaign.state
    began = {phase: time for phase, time, _ in state.phases}
    datasets = [one for phase in SUBMITTING for one in plan.of_phase(phase) if state.version(one.name)]
    found: list[dict[str, Any]] = []
    for phase in SUBMITTING:
        tasks = [number for number, one in enumerate(datasets) if one.phase == phase]
        if tasks:
            one = {
                "index": len(found), "name": phase, "start": began.get(phase, stamp(datetime(2000, 1, 1, tzinfo=UTC))),
                "tasks": tasks, "max_submissions": plan.quotas[phase].total, "execution_time_limit": LONGEST,
            }  # fmt: skip
            if phase in plan.deadlines:
                one["end"] = stamp(plan.deadlines[phase])
            found.append(one)
    return found


def _columns(campaign: Campaign) -> Any:
    scoring = campaign.protocol.scoring
    number = 0
    for name in scoring.measures:
        measure = registry.measure(name, campaign.protocol.task)
        for value in measure.values:
            first = (name, value) == (scoring.ranking, scoring.value)
            key = f"{name.rpartition('.')[2]}_{value}"
            sorting = "asc" if measure.better_of(value) == "lower" else "desc"
            yield {"title": key, "key": key, "index": 0 if first else (number := number + 1), "sorting": sorting}


def _yaml(data: Any, indent: int = 0) -> str:
    """Plain data as YAML; strings as JSON writes them, which YAML reads the same."""
    pad = "  " * indent
    if isinstance(data, dict):
        return "".join(f"{pad}{key}:{_inner(value, indent)}" for key, value in data.items())
    return "".join(f"{pad}-{_inner(value, indent)}" for value in data)


def _inner(value: Any, indent: int) -> str:
    if isinstance(value, dict | list) and value:
        return "\n" + _yaml(value, indent + 1)
    return f" {json.dumps(value, ensure_ascii=False)}\n"


def _square(size: int = 64) -> bytes:
    """A plain picture, which the platform asks for: replace it by the logo of the campaign."""
    row = b"\0" + bytes((0x2A, 0x5D, 0x7C)) * size

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * size)) + chunk(b"IEND", b"")
    )
