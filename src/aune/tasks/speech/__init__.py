"""Speech transcription: how far what was recognised is from what was said.

A key and a response are transcripts of the same utterances. The words are aligned, the errors counted, and related to
the words said (WER and its family), to the entities among them (NE-WER), or to what the errors cost an entity
recogniser (ATENE).
"""

from __future__ import annotations

from aune.contract.task import Agreement, Comparing, Explaining, Extras, Reading, Task
from aune.tasks.speech import batches
from aune.tasks.speech.alignment.recordings import BY_TIME, answers_by_time
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.conventions import CONVENTIONS
from aune.tasks.speech.losses import lost_content
from aune.tasks.speech.model import check, content_counts, describe, documents, empty, has_words, utterance_names


def _make_explaining() -> Explaining:
    from aune.tasks.speech.errors import KIND_NAMES, errors
    from aune.tasks.speech.view import confusion, view

    return Explaining(
        errors=errors,
        kinds=KIND_NAMES,
        view=view,
        confusion=confusion,
    )


def _make_agreement() -> Agreement:
    from aune.tasks.speech.agreement import agreement_measures

    return Agreement(measures=agreement_measures)


def _make_extras() -> Extras:
    from aune.tasks.speech.combination import combination_notes, combine_transcripts, disagreements
    from aune.tasks.speech.significance import TESTS
    from aune.tasks.speech.small_worlds import UNIVERSE

    return Extras(
        small_worlds=UNIVERSE,
        usual_choices={
            "measures": ("wer", "cer", "mer", "wil", "sentence_error", "macro(wer, by=document)"),
            "normalise": ("none", "case", "case,punctuation", "whisper"),
            "fragments": ("no", "yes"),
        },
        paired_tests=TESTS,
        combine=combine_transcripts,
        combination_notes=combination_notes,
        disagreements=disagreements,
    )


TASK = Task(
    reading=Reading(
        documents=documents,
        empty=empty,
        annotation=("word", has_words),
        part="utterance",
        parts=utterance_names,
        check=check,
        describe=describe,
        content_counts=content_counts,
        count_losses=lost_content,
    ),
    comparing=Comparing(
        compare=compare,
        measures=("wer", "mer", "wil", "cer", "sentence_error"),
        batches={"speech.wer": batches.wer},
        conventions=CONVENTIONS,
        split_like_key=answers_by_time,
        split_message=BY_TIME,
    ),
    make_explaining=_make_explaining,
    make_agreement=_make_agreement,
    make_extras=_make_extras,
)
