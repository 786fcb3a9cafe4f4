"""Speech transcription: how far what was recognised is from what was said.

A key and a response are transcripts of the same utterances. The words are aligned, the errors counted, and related to
the words said (WER and its family), to the entities among them (NE-WER), or to what the errors cost an entity
recogniser (ATENE).
"""

from __future__ import annotations

from aune.core.task import Task
from aune.tasks.speech import batches
from aune.tasks.speech.combination import combined, disagreements
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.errors import NAMES, errors
from aune.tasks.speech.losses import lost
from aune.tasks.speech.model import check, describe, documents, empty, holdings, holds_words, utterance_names
from aune.tasks.speech.significance import TESTS
from aune.tasks.speech.universe import UNIVERSE
from aune.tasks.speech.view import confusion, view

TASK = Task(
    compare,
    documents,
    empty,
    annotation=("word", holds_words),
    aliases=("asr", "stt", "transcription"),
    batches={"speech.wer": batches.wer},
    measures=("wer", "mer", "wil", "cer", "sentence_error"),
    check=check,
    describe=describe,
    errors=errors,
    kinds=NAMES,
    holdings=holdings,
    lost=lost,
    view=view,
    confusion=confusion,
    universe=UNIVERSE,
    tests=TESTS,
    part="utterance",
    parts=utterance_names,
    combined=combined,
    disagreements=disagreements,
)
