"""Every file of `../shared/data/exports` is read with the counts of its README, or refused for a reason that is given.

`python -m tests.test_exports` prints what aune makes of each file.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from aune.contract import registry
from aune.errors import InputError
from aune.reading.conversion import convert_documents
from aune.reading.corpus import Corpus
from aune.tasks.speech.model import utterances
from tests.exports import EXPORTS, needs_exports, read_export
from tests.fuzz.laws import check_kept

INCEPTION = "inception-tsv"


class Export(NamedTuple):
    """A file, how it is read, and what an independent script counts in it."""

    task: str
    path: str
    form: str
    counts: dict[str, int]
    options: Mapping[str, Any] = MappingProxyType({})
    """Those of the reader."""


def _coref(path: str, form: str, mentions: int, chains: int, **more: Any) -> Export:
    documents = more.pop("documents", 1)
    return Export("coref", path, form, {"documents": documents, "items": mentions, "chains": chains}, more)


def _entities(path: str, form: str, spans: int, documents: int = 1, **options: Any) -> Export:
    return Export("entities", path, form, {"documents": documents, "items": spans}, options)


def _speech(path: str, form: str, words: int, **options: Any) -> Export:
    return Export("speech", path, form, {"words": words}, options)


READ = [
    _entities("argilla/btc_e.argilla.jsonl.gz", "jsonl", 325, 200),
    _speech("assemblyai-json/assemblyai_transcription.json", "recogniser_json", 60),
    _coref("brat/105_persuasion_brat.ann", "litbank", 286, 72),
    _entities("brat/105_persuasion_brat.ann", "brat", 558),
    _speech("cloud-asr-json/azure.json", "recogniser_json", 3),
    _speech("cloud-asr-json/google_cloud_v1.json", "recogniser_json", 3),
    _speech("cloud-asr-json/rev.json", "recogniser_json", 4),
    _entities("conll2003/skillspan_tech_test.conll.gz", "conll", 829),
    _entities("conll2003/skillspan_tech_test.conll.gz", "conll", 457, column="2"),
    _coref("conll2012/Evander_Act1.part.xml.ndtw.0.CoNLL2012.conll.gz", "conll2012", 620, 65),
    _coref("coref-annotator/Evander_Act1.xmi.gz", "coref_annotator", 794, 66),
    _coref("coref-annotator/Cato_Act2.xmi.gz", "coref_annotator", 526, 73),
    _coref("coref-annotator/Text_1804.xmi.gz", "uima", 7, 6),
    _coref("corefud/GUM_news_nasa.conllu", "corefud", 336, 195),
    _coref("corefud/GUM_voyage_oakland.conllu", "corefud", 293, 197),
    _coref("crac-text/gum_2docs.txt", "crac_text", 629, 392, documents=2),
    _coref("crac-text/gum_2docs.back.conllu", "corefud", 629, 392, documents=2),
    _speech("deepgram-json/dg_transcription.json", "recogniser_json", 62),
    _speech("deepgram-json/dg_speakers.json.gz", "recogniser_json", 226),
    _speech("deepgram-json/dg_whisper_transcription.json", "recogniser_json", 59),
    _entities("doccano/data_export.relation_extraction.example.jsonl", "doccano", 4),
    _entities("doccano/data_export.sequence_labeling.example.jsonl", "doccano", 4, 3),
    _entities("doccano/data_import.sequence_labeling.example_overlapping.jsonl", "doccano", 2),
    _entities("doccano/transformer.labeling_text_label.jsonl", "doccano", 11, 2),
    Export("speech", "doccano/data_export.speech_to_text.example.jsonl", "manifest", {"documents": 3},
           {"text_field": ("label",)}),
    _entities("gate/gate_tweet.a.1534745824881623.xml_0002C_.xml", "gate", 2),
    _entities("gate/gate_tweet.a.1536049458395381.xml_0003D_.xml", "gate", 2),
    _entities("gate/gate_tweet.a.1541524193522647.xml_00066_.xml", "gate", 2),
    _entities("gate/gate_tweet.a.1546828632693268.xml_00092_.xml", "gate", 2),
    _entities("gate/docs.testdocument1.xml", "gate", 2, annotation_type=("Lookup",)),
    _entities("gate/docs.testdocument1.xml", "gate", 6, annotation_type=("Token",)),
    _entities("gate/ann-relations.bdocjs", "gate", 9),
    _entities("hf-datasets/btc_e.jsonl.gz", "tags_jsonl", 325, 200,
              tag_names=("O", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-PER", "I-PER")),
    _entities("hipe/HIPE-2022-v2.1-newseye-dev2-sv.tsv.gz", "hipe", 311, 21),
    _coref(f"{INCEPTION}/GUM_news_nasa.tsv", "webanno", 336, 195),
    _coref(f"{INCEPTION}/GUM_voyage_oakland.tsv", "webanno", 293, 197),
    _entities(f"{INCEPTION}/GUM_news_nasa.tsv", "webanno", 336),
    _entities(f"{INCEPTION}/GUM_voyage_oakland.tsv", "webanno", 293),
    Export("speech", "kaldi/text_ref", "lines", {"documents": 6}),
    Export("speech", "kaldi/text_hyp", "lines", {"documents": 6}),
    Export("speech", "kaldi/mini_librispeech/text", "kaldi", {"documents": 38}),
    *(_entities("label-studio/leoka_team8_40tasks.json.gz", "label_studio", *row, annotator=f"annotator{n}@example.org")
      for n, row in {1: (352, 39), 2: (331, 36), 3: (372, 40)}.items()),
    _entities("label-studio/leoka_team8_40tasks.conll.gz", "conll", 1082),
    Export("speech", "nemo/wolbanking77_manifest.jsonl", "manifest", {"documents": 10}),
    _entities("prodigy/rel_component_annotations.jsonl.gz", "jsonl", 466, 149),
    _entities("prodigy/nel_emerson.jsonl.gz", "jsonl", 30, 30),
    _entities("prodigy/sed_neuro_ner_non_drug_60.jsonl.gz", "jsonl", 534, 60),
    _entities("prodigy/ct_neuro_60_target_annotated_ds_round_3.jsonl.gz", "jsonl", 565, 60),
    _coref("sacr/aesop.sacr", "sacr", 31, 9),
    _coref("sacr/caesar.sacr", "sacr", 101, 61),
    _coref("sacr/lucian_speakers.sacr", "sacr", 0, 0),
    _coref("sacr/Le_capitaine_Fracasse.sacr.gz", "sacr", 1018, 300),
    _coref("tei/gerdracor.Evander_Act1_Scene1.part.xml", "tei", 135, 14),
    _entities("tei/gerdracor.Evander_Act1_Scene1.part.xml", "tei", 135),
    _entities("tei/L00001.xml", "tei", 7),
    _entities("tei/L01501.xml", "tei", 5),
    _entities("tner/btc_e.json.gz", "tags_jsonl", 325, 200),
    _entities("uima-json/casWithEmojiUnicodeTextAndAnnotations.json", "uima", 9),
    _entities("uima-json/casWithTextAndAnnotations.json", "uima", 4),
    _entities("uima-json/tsv3-testSimpleSlotFeature.json", "uima", 2, feature="SimpleSpan"),
    _entities("uima-xmi/stackedrel1.xmi", "uima", 4),
    _entities("uima-xmi/stackedmerge.xmi", "uima", 4),
    _entities("uima-xmi/relation_test.xmi", "uima", 4),
    _entities("uima-xmi/small_cas.xmi", "uima", 0),
    _entities("uima-xmi/cas_with_smileys.xmi", "uima", 5),
    _speech("whisper-json/whisper_timestamped.json", "recogniser_json", 59),
    _speech("whisperx-json/aligned_transcript.json", "recogniser_json", 13),
]  # fmt: skip
ELSEWHERE = ("elan/", "rttm/", "subtitles/", "textgrid/")
"""Folders whose files have their counts in the tests of their formats."""
REFUSED = {
    ("coref", "coref-annotator/types-v1.xml"): "found a type system of UIMA, expected a text with its annotation",
    ("coref", "coref-annotator/types-v2.xml"): "found a type system of UIMA, expected a text with its annotation",
    ("coref", "crac-text/gum_2docs.blind.txt"): "which is no known coref format",
    ("entities", "doccano/AliceInWonderland.jsonl.gz"): "annotation of 3 annotators (3, 2, 1)",
    ("entities", "doccano/Emma.jsonl.gz"): "annotation of 3 annotators (3, 2, 1)",
    ("entities", "hf-datasets/btc_e.jsonl.gz"): "name them in the order of the numbers with --tag-names",
    ("entities", "hf-datasets/btc_e.parquet"): "found a Parquet file, expected text: save it as JSON lines",
    ("entities", "label-studio/kiji_sample_predictions_relations.json"): "found the span 68 to 90, expected one inside",
    ("entities", "label-studio/leoka_team8_40tasks.json-min.json.gz"): "annotation of 3 annotators",
    ("entities", "tner/btc_e.label.json"): "the names of numbered tags, expected a text with its annotation",
    ("entities", "uima-xmi/TypeSystem.xml"): "found a type system of UIMA",
    ("entities", "uima-xmi/small_typesystem.xml"): "found a type system of UIMA",
    ("speech", "whisperx-json/diarazition.json"): "found no text",
    ("speech", "kaldi/mini_librispeech/reco2dur"): "durations of Kaldi",
    ("speech", "kaldi/mini_librispeech/segments"): "segments of Kaldi",
    ("speech", "kaldi/mini_librispeech/spk2gender"): "genders of Kaldi",
    ("speech", "kaldi/mini_librispeech/spk2utt"): "speakers of Kaldi",
    ("speech", "kaldi/mini_librispeech/utt2dur"): "durations of Kaldi",
    ("speech", "kaldi/mini_librispeech/utt2spk"): "speakers of Kaldi",
    ("speech", "kaldi/mini_librispeech/wav.scp"): "recordings of Kaldi",
}  # fmt: skip
"""What is refused, and why: it names the option that reads the file, or says what it is."""


def counts(corpus: Corpus, names: dict[str, int]) -> dict[str, int]:
    """What a corpus holds, by the names that are asked for."""
    documents = corpus.documents
    values = {"documents": len(documents)}
    if "items" in names:
        values["items"] = sum(map(len, documents))
    if "chains" in names:
        values["chains"] = sum(document.chain_count for document in documents)
    if "words" in names:
        values["words"] = sum(len(utterance.words) for utterance in utterances(documents))
    return {name: values[name] for name in names}


@needs_exports
@pytest.mark.parametrize("export", READ, ids=lambda export: f"{export.task}-{export.path}")
def test_a_file_is_recognised_and_has_the_counts_of_its_readme(export: Export) -> None:
    corpus = read_export(export.task, export.path, **export.options)
    assert (corpus.format, counts(corpus, export.counts)) == (export.form, export.counts)


FULL = bool(os.environ.get("AUNE_FULL"))
SMALL = 20_000  # bytes of a file that is written in every format where AUNE_FULL is not set
FEW = None if FULL else 2
"""How many of the documents of a file are written."""
REWRITTEN = (
    [export for export in READ if FULL or (EXPORTS / export.path).stat().st_size < SMALL] if EXPORTS.exists() else []
)


@needs_exports
@pytest.mark.parametrize("export", REWRITTEN, ids=lambda export: f"{export.task}-{export.path}")
def test_what_is_written_of_an_export_comes_back_or_is_listed(export: Export) -> None:
    """In its own format, and in each other that its task writes: equal, refused, or the loss is in the list."""
    documents = read_export(export.task, export.path, **export.options).documents[:FEW]
    for form in registry.formats(export.task):
        if form.write is not None:
            for group in [documents[:1], documents][: min(len(documents), 2)]:
                check_kept(export.task, form, group, scored=False)


@needs_exports
@pytest.mark.parametrize("export", REWRITTEN, ids=lambda export: f"{export.task}-{export.path}")
def test_a_format_loses_nothing_of_its_own_exports(export: Export) -> None:
    documents = read_export(export.task, export.path, **export.options).documents[:FEW]
    form = registry.format(export.task, export.form)
    if form.write is None or (export.task, export.path) in OWN_LOSSES:
        pytest.skip("it is only read, or the loss is listed beside this test")
    conversion = convert_documents(registry.task(export.task), form, documents, f"{documents[0].id}{form.suffixes[0]}")
    assert not conversion.lost


OWN_LOSSES: set[tuple[str, str]] = set()
"""Exports of which even their own format loses something when it is written anew, instead of edited in place."""


@needs_exports
@pytest.mark.parametrize(("task", "path"), REFUSED)
def test_a_file_is_refused_with_a_reason(task: str, path: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_export(task, path)
    assert REFUSED[task, path] in str(refusal.value)


def _files() -> list[str]:
    return sorted(str(path.relative_to(EXPORTS)) for path in EXPORTS.rglob("*") if path.is_file())


@needs_exports
def test_no_file_is_left_out() -> None:
    known = {export.path for export in READ} | {path for _, path in REFUSED} | {"brat/105_persuasion_brat.txt"}
    suite = (f"{INCEPTION}/tsv3-suite/", f"{INCEPTION}/curation/", *ELSEWHERE)
    files = [path for path in _files() if not path.endswith("README.md") and not path.startswith(suite)]
    assert set(files) - known == set()


@needs_exports
@pytest.mark.parametrize("name", ["text_ref", "text_hyp"])
def test_names_that_look_like_words_are_doubted(name: str) -> None:
    """Utterances named a to f are read as words, which nothing can know, but a warning says what else they may be."""
    assert any("it could be kaldi" in warning for warning in read_export("speech", f"kaldi/{name}").warnings)


SUITE = sorted((EXPORTS / INCEPTION / "tsv3-suite").glob("*.xmi")) if EXPORTS.exists() else []
MOVED = ("Whitespace", "MovedToBeginOfFirstToken", "MovedToEndOfLastToken")
"""Cases of INCEpTION's suite in which TSV cannot represent a place between tokens, so that it moves."""


@needs_exports
@pytest.mark.parametrize("path", SUITE, ids=lambda path: path.stem)
def test_tsv_and_xmi_of_inception_say_the_same(path: Path) -> None:
    """The layers have other names in some: the XMI is older."""
    xmi, tsv = (layers_of(file) for file in (path, path.with_suffix(".tsv")))
    names = ("tokens", "sentences", "relations", "chains", "slots")
    assert {name: tsv[name] for name in names} == {name: xmi[name] for name in names}
    if not any(part in path.stem for part in MOVED):
        assert tsv["spans"] == xmi["spans"]


def layers_of(path: Path) -> dict[str, Any]:
    """What a file of INCEpTION says, without the names of its layers."""
    from aune.reading.source import file_source
    from aune.syntax import uima, webanno_tsv

    source = file_source(path)
    text = (webanno_tsv if path.suffix == ".tsv" else uima).read_layers(source)
    assert text is not None and not source.problems
    spans = text.spans
    return {
        "tokens": text.tokens,
        "sentences": text.sentences,
        "spans": Counter((span.start, span.end, *sorted(span.features.values())) for span in spans.values()),
        "relations": Counter(
            (spans[link.source].start, spans[link.target].start, *sorted(link.features.values()))
            for link in text.relations if link.source in spans and link.target in spans
        ),
        "chains": sorted([spans[name].start for name in chain.members] for chain in text.chains),
        "slots": text.left_out.get("slots", 0),
    }  # fmt: skip


@needs_exports
@pytest.mark.parametrize("name", ["GUM_news_nasa", "GUM_voyage_oakland"])
def test_chains_of_gum_are_the_same_in_tsv_and_conllu(name: str) -> None:
    sides = (read_export("coref", f"{INCEPTION}/{name}.tsv"), read_export("coref", f"corefud/{name}.conllu"))
    tsv, conllu = ({frozenset(map(tuple, chain)) for chain in side.documents[0].clusters()} for side in sides)
    assert len(tsv ^ conllu) <= len(conllu) // 20  # CorefUD has discontinuous mentions and other extents in places


if __name__ == "__main__":
    for path in _files():
        for task in registry.task_names():
            try:
                corpus = read_export(task, path)
                print(
                    f"{path}\t{task}.{corpus.format}\t{len(corpus.documents)} documents\t{'; '.join(corpus.warnings)}"
                )
            except InputError as error:
                print(f"{path}\t{task}\trefused: {error.problems[0].message}")
