"""A release can be built again, byte by byte, and its bill of materials lists what is locked."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("release", ROOT / "docs" / "release.py")
assert spec is not None and spec.loader is not None
release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(release)


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("no hatchling: make installs it from locks/build.txt")
    if subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, check=False).returncode:
        pytest.skip("no history: a release is built from what is committed")
    target = tmp_path_factory.mktemp("release") / "dist"
    files = release.build_twice(target)  # refuses builds that differ
    release.write_records(files, target, release.wheel_version(files))
    return target


def test_both_archives_contain_what_people_need(dist: Path) -> None:
    [wheel], [source] = dist.glob("*.whl"), dist.glob("*.tar.gz")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"aune/py.typed", "aune/examples/coref/key.conll", "aune/reports/page/page.html"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
    with tarfile.open(source) as archive:
        members = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "examples/coref/key.conll", "tests/test_release.py"} <= members


def test_the_hashes_are_those_of_the_files(dist: Path) -> None:
    lines = (dist / "SHA256SUMS").read_text().splitlines()
    assert len(lines) == 3
    for line in lines:
        digest, name = line.split("  ")
        assert sha256((dist / name).read_bytes()).hexdigest() == digest


def test_the_bill_of_materials_has_every_locked_package(dist: Path) -> None:
    [path] = dist.glob("*.cdx.json")
    bill = json.loads(path.read_text())
    locked = re.findall(r"^([\w.-]+)==", (ROOT / "locks" / "run.txt").read_text(), re.M)
    assert [part["name"] for part in bill["components"]] == locked and bill["bomFormat"] == "CycloneDX"
    assert all(part["properties"] for part in bill["components"])
    assert bill["dependencies"][0]["dependsOn"] == [part["bom-ref"] for part in bill["components"]]


def test_version_and_date_are_the_same_everywhere() -> None:
    """In the changelog, which may say that the next version is not released yet, the citation and the package."""
    heading = re.search(r"^## (\S+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    version = re.search(r'^__version__ = "(.+)"$', (ROOT / "src/aune/__init__.py").read_text("utf-8"), re.M)
    assert heading is not None and version is not None and heading[1] == version[1]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d|unreleased", heading[2])
    if heading[2] != "unreleased":
        assert f"version: {heading[1]}\n" in citation and f'date-released: "{heading[2]}"' in citation
