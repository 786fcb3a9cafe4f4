"""Campaigns on Codabench: a competition bundle whose scoring program is aune.

The image that the platform runs must have aune installed. Submissions are scored as in aune: the same check, the same
options, the same digits; a refused submission prints all problems to standard error.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.ledger_file import canonical_json
from aune.campaign.protocol.deadlines import parse_timestamp
from aune.campaign.protocol.phases import SUBMITTING
from aune.campaign.protocol.protocol_file import PROTOCOL_FILE
from aune.campaign.runs.jobs import run_in_folder
from aune.campaign.runs.submission_checks import stored_problem_line
from aune.campaign.runs.uploads import zip_bytes
from aune.contract import registry
from aune.errors import UsageError
from aune.files import write_atomically

PROGRAM = (
    "import sys\n\nfrom aune.campaign.runs.codabench import score_submission\n\n"
    "sys.exit(score_submission(sys.argv[1], sys.argv[2]))\n"
)
METADATA = "command: python3 /app/program/score.py /app/input /app/output\ndescription: scored by aune\n"
TIME_LIMIT = 3600  # seconds that the platform may spend on a submission


def bundle(campaign: Campaign, image: str = "") -> bytes:
    """The competition bundle of a campaign, as a zip archive."""
    if campaign.protocol.tracks:
        raise UsageError("a bundle for Codabench has one task and one scoring, and this campaign has tracks")
    plan, state = campaign.protocol, campaign.state
    datasets = [dataset for phase in SUBMITTING for dataset in plan.datasets_in(phase) if state.version(dataset.name)]
    files = {
        "competition.yaml": _yaml(_competition(campaign, image)).encode(),
        "terms.md": campaign.store.get(plan.files[plan.licence])
        if _has_licence_file(campaign)
        else b"See the organisers.\n",
        "overview.md": f"# {plan.title}\n\nScored by aune: {plan.scoring.ranking}, {plan.scoring.value}.\n".encode(),
        "logo.png": _logo(),
        "scoring_program.zip": zip_bytes({"score.py": PROGRAM.encode(), "metadata.yaml": METADATA.encode()}),
    }
    for dataset in datasets:
        files[f"reference_{dataset.name}.zip"] = zip_bytes(_reference(campaign, dataset.name))
    for phase in SUBMITTING:
        if texts := _public_data(campaign, phase):
            files[_public_name(phase)] = zip_bytes(texts)
    return zip_bytes(files)


def _public_name(phase: str) -> str:
    return f"texts_{phase.replace(' ', '_')}.zip"


def _public_data(campaign: Campaign, phase: str) -> dict[str, bytes]:
    """The texts that participants of a phase get, with the protocol, as `aune campaign handout` writes them."""
    plan, state = campaign.protocol, campaign.state
    names = [dataset.name for dataset in plan.datasets_in(phase) if state.version(dataset.name)]
    texts = {f"{name}/{state.texts[name].name}": campaign.store.get(state.texts[name].digest) for name in names}
    return {PROTOCOL_FILE: plan.text.encode(), **texts} if texts else {}


def _has_licence_file(campaign: Campaign) -> bool:
    plan = campaign.protocol
    return plan.licence in plan.files and plan.files[plan.licence] in campaign.store


def _reference(campaign: Campaign, dataset: str) -> dict[str, bytes]:
    """The input of the scoring program: the job without its run, and the files."""
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
        PROTOCOL_FILE: plan.text.encode(),
        "job.json": canonical_json(job),
        key: campaign.store.get(state.keys[dataset][-1].digest),
        "texts": campaign.store.get(texts.digest),
    }


def score_submission(input_folder: str, output: str) -> int:
    """Score a submission in the platform's folders: `input/ref`, `input/res`, and `output/scores.json`."""
    reference, response = Path(input_folder, "ref"), Path(input_folder, "res")
    folder = Path(output, "work")
    files = sorted(path for path in response.rglob("*") if path.is_file() and not path.name.startswith("."))
    table = next((path for path in files if path.name in ("table.tsv", "table.toml")), None)
    uploads = {str(path.relative_to(response)): path.read_bytes() for path in files if path != table}
    job = json.loads((reference / "job.json").read_bytes())
    name = next(iter(uploads), "submission")
    run = {"id": "run", "name": name if len(uploads) == 1 else "submission.zip", "upload": "upload",
           "table": table.name if table else "", "table_name": table.name if table else ""}  # fmt: skip
    for path in (entry for entry in reference.rglob("*") if entry.is_file()):
        target = folder / path.relative_to(reference)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    (folder / "upload").write_bytes(next(iter(uploads.values()), b"") if len(uploads) < 2 else zip_bytes(uploads))
    if table:
        (folder / table.name).write_bytes(table.read_bytes())
    (folder / "job.json").write_bytes(canonical_json({**job, "runs": [run]}))
    outcome = run_in_folder(folder, int(job["limits"]["seconds"]))
    for problem in outcome["problems"]:
        print(stored_problem_line(*problem), file=sys.stderr)
    if outcome["state"] != "scored":
        return 3
    scores = {
        f"{entry['measure'].rpartition('.')[2]}_{value}": number
        for entry in outcome["scores"]
        for value, number in entry["values"].items()
        if number is not None
    }
    write_atomically(Path(output, "scores.json"), json.dumps(scores, indent=1).encode())
    return 0


def _competition(campaign: Campaign, image: str) -> dict[str, Any]:
    plan, state = campaign.protocol, campaign.state
    datasets = [dataset for phase in SUBMITTING for dataset in plan.datasets_in(phase) if state.version(dataset.name)]
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
                "name": dataset.name,
                "description": f"{dataset.phase}, {dataset.condition}",
                "reference_data": f"reference_{dataset.name}.zip",
                "scoring_program": "scoring_program.zip",
            }
            for number, dataset in enumerate(datasets)
        ],
        "phases": _phases(campaign),
        "leaderboards": [
            {
                "index": 0,
                "title": "Results",
                "key": "results",
                "submission_rule": "Force_Last",
                "columns": list(_columns(campaign)),
            }
        ],
    }


def _phases(campaign: Campaign) -> list[dict[str, Any]]:
    """The phases in the platform's format: all but the last have an end, and each begins after the previous one."""
    plan, state = campaign.protocol, campaign.state
    datasets = [entry for phase in SUBMITTING for entry in plan.datasets_in(phase) if state.version(entry.name)]
    phases: list[dict[str, Any]] = []
    previous_end = datetime(2000, 1, 1, tzinfo=UTC)
    for phase in SUBMITTING:
        tasks = [number for number, entry in enumerate(datasets) if entry.phase == phase]
        if not tasks:
            continue
        begun, ended = _phase_times(campaign, phase)
        start = max(begun or previous_end, previous_end + timedelta(seconds=1))
        entry = {
            "index": len(phases),
            "name": phase,
            "start": _platform_time(start),
            "tasks": tasks,
            "max_submissions": plan.quotas[phase].total,
            "execution_time_limit": TIME_LIMIT,
            "public_data": _public_name(phase),
        }
        if ended:
            previous_end = max(ended, start + timedelta(seconds=1))
            entry["end"] = _platform_time(previous_end)
        phases.append(entry)
    return phases


def _phase_times(campaign: Campaign, phase: str) -> tuple[datetime | None, datetime | None]:
    """When a phase began and when it ends: by its deadline, or earlier if the next phase has begun."""
    times = [(name, parse_timestamp(time)) for name, time, _ in campaign.state.phases]
    begun = next((time for name, time in times if name == phase), None)
    successors = [time for _, time in times if begun and time > begun]
    ends = [*successors[:1], *([campaign.protocol.deadlines[phase]] if phase in campaign.protocol.deadlines else [])]
    return begun, min(ends, default=None)


def _platform_time(moment: datetime) -> str:
    """A time in UTC, in the format of the platform's documentation."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def _columns(campaign: Campaign) -> Any:
    scoring = campaign.protocol.scoring
    number = 0
    for name in scoring.measures:
        [measure] = scoring.measures_of(registry.task(campaign.protocol.task), [name])
        for value in measure.values:
            first = (name, value) == (scoring.ranking, scoring.value)
            key = f"{name.rpartition('.')[2]}_{value}"
            sorting = "asc" if measure.better_of(value) == "lower" else "desc"
            yield {"title": key, "key": key, "index": 0 if first else (number := number + 1), "sorting": sorting}


def _yaml(data: Any, indent: int = 0) -> str:
    """Plain data as YAML; strings are written as in JSON, which YAML reads the same."""
    pad = "  " * indent
    if isinstance(data, dict):
        return "".join(f"{pad}{key}:{_yaml_value(value, indent)}" for key, value in data.items())
    return "".join(f"{pad}-{_yaml_value(value, indent)}" for value in data)


def _yaml_value(value: Any, indent: int) -> str:
    if isinstance(value, dict | list) and value:
        return "\n" + _yaml(value, indent + 1)
    return f" {json.dumps(value, ensure_ascii=False)}\n"


def _logo(size: int = 64) -> bytes:
    """A plain image, which the platform requires: replace it by the logo of the campaign."""
    row = b"\0" + bytes((0x2A, 0x5D, 0x7C)) * size

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * size)) + chunk(b"IEND", b"")
    )
