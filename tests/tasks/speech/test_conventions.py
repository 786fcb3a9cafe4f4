"""Published conventions by name and version: what each of them sets, and what a call may still change."""

from __future__ import annotations

import pytest

import aune
from aune.cli import run
from aune.tasks.speech.conventions import CONVENTIONS
from aune.tasks.speech.text.normalisation import chain_signature

KEY, RESPONSE = ["The White Paper's Colours", "okay"], ["the whitepaper's colors", "um OK"]


def total(convention: str | None, **options: object) -> float:
    counts = aune.score("speech", KEY, RESPONSE, measures=["wer"], convention=convention, **options)["wer"].counts
    return float(counts["substitutions"] + counts["deletions"] + counts["insertions"])


@pytest.mark.parametrize(
    ("convention", "errors"),
    [
        (None, 6), ("plain", 6), ("jiwer", 6), ("sclite", 5), ("whisper-basic", 5), ("open-asr-multilingual", 5),
        ("whisper", 3), ("open-asr@2025", 3), ("open-asr@2026-08", 0),
    ],
)  # fmt: skip
def test_what_counts_as_an_error(convention: str | None, errors: int) -> None:
    if "whisper" in (convention or "") or "@" in (convention or ""):
        pytest.importorskip("whisper_normalizer", reason="whisper-normalizer is not installed")
    assert total(convention) == errors


def test_options_of_a_call_come_before_those_of_a_convention() -> None:
    pytest.importorskip("whisper_normalizer", reason="whisper-normalizer is not installed")
    assert total("open-asr@2026-08", compounds=False) == 2


@pytest.mark.parametrize("name", CONVENTIONS)
def test_the_signature_names_the_version(name: str) -> None:
    pytest.importorskip("whisper_normalizer", reason="whisper-normalizer is not installed")
    result = aune.score("speech", ["a"], ["a"], measures=["wer"], convention=name)["wer"]
    chain = CONVENTIONS[name].get("normalise", "none")
    assert result.signature.options["normalise"] == chain_signature(chain)


def test_the_command_takes_a_convention(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["examples/speech/key.trn", "examples/speech/response.trn", "-m", "wer"]
    assert run(["score", "speech", *arguments, "--convention", "sclite"]) == 0
    as_convention = capsys.readouterr().out
    assert run(["score", "speech", *arguments, "--alignment", "sclite", "--normalise", "case"]) == 0
    assert capsys.readouterr().out == as_convention
