"""The normalisers that work on whole texts, by name: Whisper's, and those that leaderboards publish.

- `whisper`: the English rules of the package whisper-normalizer, with its list of spellings;
  `whisper@0.1.15` requires that version of the package
- `whisper-families`: the same with the spelling families of aune itself, without the package
- `whisper-basic`: the rules for any language; `-no-diacritics` and `-letters` may follow
- `open-asr@2026-08`: the Open ASR Leaderboard since April 2026
- `open-asr@2025`: the same board before, which is the English rules of OpenAI
- `open-asr-multilingual`: the same board for other languages, without diacritics; `-diacritics` keeps them
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from aune.errors import UsageError

if TYPE_CHECKING:
    from aune.tasks.speech.text.traced_text import NormalisedWords
    from aune.tasks.speech.text.whisper import EnglishNormaliser

WHISPER = "whisper"
TEXT_STEPS = (
    WHISPER,
    "whisper-families",
    "whisper-basic",
    "whisper-basic-no-diacritics",
    "whisper-basic-letters",
    "whisper-basic-no-diacritics-letters",
    "open-asr@2026-08",
    "open-asr@2025",
    "open-asr-multilingual",
    "open-asr-multilingual-diacritics",
)


class TextStep(NamedTuple):
    """A step that processes all words of an utterance together."""

    run: Callable[[Sequence[str]], NormalisedWords]


def _whisper() -> EnglishNormaliser:
    from aune.tasks.speech.text.spelling import listed_spellings  # noqa: PLC0415
    from aune.tasks.speech.text.whisper import EnglishNormaliser, EnglishRules  # noqa: PLC0415

    spellings = listed_spellings("--normalise whisper (or whisper-families, which has no such list)")
    return EnglishNormaliser(EnglishRules(lambda word: spellings.get(word, word)))


def _makers() -> Mapping[str, Callable[[], Callable[[Sequence[str]], NormalisedWords]]]:
    """What makes each of the steps; their rules are long, so that they are only imported by those who use one."""
    from aune.tasks.speech.text.open_asr import board_rules, early_board_rules  # noqa: PLC0415
    from aune.tasks.speech.text.spelling import american  # noqa: PLC0415
    from aune.tasks.speech.text.whisper import EnglishNormaliser, EnglishRules  # noqa: PLC0415
    from aune.tasks.speech.text.whisper_basic import BasicNormaliser  # noqa: PLC0415

    return {
        WHISPER: _whisper,
        "whisper-families": lambda: EnglishNormaliser(EnglishRules(american)),
        "whisper-basic": BasicNormaliser,
        "whisper-basic-no-diacritics": lambda: BasicNormaliser(keeps_diacritics=False),
        "whisper-basic-letters": lambda: BasicNormaliser(splits_letters=True),
        "whisper-basic-no-diacritics-letters": lambda: BasicNormaliser(keeps_diacritics=False, splits_letters=True),
        "open-asr@2026-08": lambda: EnglishNormaliser(board_rules()),
        "open-asr@2025": lambda: EnglishNormaliser(early_board_rules()),
        "open-asr-multilingual": lambda: BasicNormaliser(keeps_diacritics=False, is_board=True),
        "open-asr-multilingual-diacritics": lambda: BasicNormaliser(is_board=True),
    }


def is_text_step(name: str) -> bool:
    """Whether a chain may contain a step of this name; a version may follow `whisper`."""
    return name in TEXT_STEPS or name.partition("@")[0] == WHISPER


def text_step(name: str) -> TextStep | None:
    """The step of a name, created once; it caches its results."""
    if not is_text_step(name):
        return None
    from aune.tasks.speech.text.spelling import PACKAGE, package_version  # noqa: PLC0415

    base, _, expected = name.partition("@")
    if base == WHISPER:
        name = WHISPER
        if expected and expected != package_version(f"--normalise {WHISPER}"):
            raise UsageError(
                f"--normalise {base}@{expected}: found version {package_version(base)} of {PACKAGE}, expected "
                f"{expected}: install this version"
            )
    return _make_step(name)


@cache
def _make_step(name: str) -> TextStep:
    return TextStep(_makers()[name]())


def step_signature(name: str) -> str:
    """A step in the signature: with the version of the package from which it takes its words."""
    if name != WHISPER:
        return name
    from aune.tasks.speech.text.spelling import package_version  # noqa: PLC0415

    return f"{WHISPER}@{package_version(f'--normalise {WHISPER}')}"
