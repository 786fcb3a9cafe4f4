"""Processes that try damaged files of every kind, bad lines of every command and requests to every address."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aune.contract import registry

if __package__:
    from tests.fuzz import addresses, auxiliary, calls, commands, disasters, texts, walks
else:  # run as a script, this folder comes first
    import addresses
    import auxiliary
    import calls
    import commands
    import disasters
    import texts
    import walks

WORKER = Path(__file__).with_name("worker.py")
FORMATS = [f"format {task}.{form.name}" for task in registry.task_names() for form in registry.formats(task)]
FILES = [f"file {name}" for name in auxiliary.READERS]
CALLS = [f"call {name}" for name in calls.CALLS]
COMMANDS = [f"command {name}" for name in commands.subjects()]
TEXTS = [f"text {name}" for name in texts.subjects()]
ADDRESSES = [f"address {name}" for name in addresses.subjects()]
DISASTERS = [f"disaster {name}" for name in disasters.subjects()]
WALKS = [f"walk {name}" for name in walks.subjects()]
"""None of these three in one process with commands: they have sites and disks of their own."""
PATIENCE = 1800  # seconds for a process that hangs where no signal reaches it


def results(seed: int, counts: Mapping[str, int], processes: int = 2) -> list[dict[str, Any]]:
    """What became of so many trials of each subject; a process that dies is a finding too."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    subjects = list(counts)
    parts = [subjects[number::processes] for number in range(processes)]
    running = [(part, _start_process(seed, {item: counts[item] for item in part}, environment)) for part in parts]
    result = []
    for part, process in running:
        output, errors = process.communicate(timeout=PATIENCE)
        lines = [json.loads(line) for line in output.splitlines()]
        result += lines
        if process.returncode:
            trace = f"the process ended with {process.returncode}: {errors[-500:]}"
            nothing = {"tried": counts[part[len(lines)]], "refused": 0, "slowest": 0.0, "peak": 0.0}
            result.append({"subject": part[len(lines)], **nothing, "failures": [{"data": "", "trace": trace}]})
    return result


def _start_process(seed: int, counts: Mapping[str, int], environment: dict[str, str]) -> subprocess.Popen[str]:
    words = [word for subject, count in counts.items() for word in (str(count), subject)]
    command = [sys.executable, str(WORKER), str(seed), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
