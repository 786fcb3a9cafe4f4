"""Makes the files of a release in `dist`: wheel and source distribution, their hashes, and a bill of materials.

`make release` runs it. Everything is built twice from what is committed, and refused unless the bytes are the same.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "dist"
LOCKED = re.compile(r"^([\w.-]+)==([^\s;\\]+)( ; [^\\]+?)?((?:\s*\\\n\s+--hash=sha256:[0-9a-f]{64})+)", re.MULTILINE)


def commit_time() -> str:
    """The time of the last commit, in seconds: the date of every file in the archives."""
    return subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def export(folder: Path) -> None:
    """What is committed, in a folder of its own."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")


def build(folder: Path) -> list[Path]:
    """Build the wheel and the source distribution of an exported tree; returns their paths."""
    dist = folder / "dist"
    variables = {**os.environ, "SOURCE_DATE_EPOCH": commit_time()}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(dist)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=variables)
    return sorted(dist.iterdir())


def build_twice(target: Path) -> list[Path]:
    """Build in two folders, refuse different bytes, and move the files into the target."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        builds = []
        for folder in (Path(first, "aune"), Path(second, "another-name")):
            folder.mkdir()
            export(folder)
            builds.append(build(folder))
        for item, other in zip(*builds, strict=True):
            if item.name != other.name or item.read_bytes() != other.read_bytes():
                raise SystemExit(f"{item.name}: two builds differ: nothing is released")
        target.mkdir(exist_ok=True)
        return [Path(shutil.move(path, target / path.name)) for path in builds[0]]


def components() -> Iterator[dict[str, Any]]:
    """The packages that `pip install aune` brings, with the hashes of their files and their licences."""
    for name, version, marker, hashes in LOCKED.findall((ROOT / "locks" / "run.txt").read_text("utf-8")):
        component: dict[str, Any] = {
            "type": "library", "bom-ref": f"pkg:pypi/{name}@{version}", "name": name, "version": version,
            "purl": f"pkg:pypi/{name}@{version}",
        }  # fmt: skip
        if licence := licence_of(name):
            component["licenses"] = [{"license": {"name": licence}}]
        digests = sorted(re.findall(r"sha256:([0-9a-f]{64})", hashes))
        properties = [{"name": "aune:file-sha256", "value": digest} for digest in digests]
        if marker:
            properties.insert(0, {"name": "aune:environment-marker", "value": marker.removeprefix(" ; ")})
        yield {**component, "properties": properties}


def licence_of(name: str) -> str:
    """What an installed package says of its licence; empty where it is not installed."""
    try:
        fields = metadata(name)
    except PackageNotFoundError:
        return ""
    classifiers = [text.rpartition(" :: ")[2] for text in fields.get_all("Classifier") or () if "License ::" in text]
    first_line = (fields.get("License") or "").strip().partition("\n")[0]
    return str(fields.get("License-Expression") or ", ".join(classifiers) or first_line)


def bill_of_materials(files: Sequence[Path], version: str) -> dict[str, Any]:
    """The bill of materials in CycloneDX 1.5; the same for the same files."""
    hashes = [{"alg": "SHA-256", "content": sha256(path.read_bytes()).hexdigest()} for path in files]
    serial = uuid.uuid5(uuid.NAMESPACE_URL, "".join(entry["content"] for entry in hashes))
    parts = list(components())
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application", "bom-ref": "aune", "name": "aune", "version": version,
                "purl": f"pkg:pypi/aune@{version}", "licenses": [{"license": {"id": "MIT"}}],
                "properties": [
                    {"name": "aune:file", "value": f"{path.name} sha256:{entry['content']}"}
                    for path, entry in zip(files, hashes, strict=True)
                ],
            }
        },
        "components": parts,
        "dependencies": [{"ref": "aune", "dependsOn": [part["bom-ref"] for part in parts]}],
    }  # fmt: skip


def write_records(files: Sequence[Path], target: Path, version: str) -> None:
    """Write the bill of materials, and the hashes of every file, as `sha256sum -c` reads them."""
    bill = target / f"aune-{version}.cdx.json"
    bill.write_text(json.dumps(bill_of_materials(files, version), indent=1) + "\n", encoding="utf-8")
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in [*files, bill]]
    (target / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def wheel_version(files: Sequence[Path]) -> str:
    return next(path.name.split("-")[1] for path in files if path.suffix == ".whl")


def main() -> None:
    if subprocess.run(["git", "status", "--porcelain", "--untracked-files=no"], cwd=ROOT, check=True,
                      capture_output=True).stdout:  # fmt: skip
        raise SystemExit("there are changes that are not committed: a release is what is committed")
    shutil.rmtree(TARGET, ignore_errors=True)
    files = build_twice(TARGET)
    write_records(files, TARGET, wheel_version(files))
    for path in sorted(TARGET.iterdir()):
        print(f"{path.stat().st_size:>9,}  {path.name}")


if __name__ == "__main__":
    main()
