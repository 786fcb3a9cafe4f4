"""Small corpora of every task, written in every format: what the law of pieces and engines runs over."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from aune.contract import registry
from aune.reading.source import Source

Record = dict[str, Any]
WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"]


def speech(number: int, rng: random.Random) -> tuple[Record, Record]:
    words = [rng.choice(WORDS) for _ in range(rng.randint(0, 9))]
    statements = [rng.choice([word, word, word, "other"]) for word in words if rng.random() < 0.9]
    record: Record = {"id": f"u{number}", "text": " ".join(words), "speaker": f"s{number % 4}"}
    if words and rng.random() < 0.3:
        record["entities"] = [[0, 1, rng.choice(["LOC", "PER"])]]
    return record, {"id": f"u{number}", "text": " ".join(statements)}


def coref(number: int, rng: random.Random) -> tuple[Record, Record]:
    tokens = [f"word{rng.randint(0, 9)}" for _ in range(12)]
    sides = []
    for _ in range(2):
        starts = rng.sample(range(12), 6)
        clusters = [[[start, start] for start in starts[:3]], [[start, start] for start in starts[3:5]]]
        sides.append({"doc_key": f"d{number}", "sentences": [tokens[:6], tokens[6:]], "clusters": clusters})
    return sides[0], sides[1]


def entities(number: int, rng: random.Random) -> tuple[Record, Record]:
    tokens = [f"w{place}" for place in range(10)]
    sides = []
    for _ in range(2):
        spans = [[start, start + rng.randint(1, 2), rng.choice(["PER", "LOC", "ORG"])] for start in (0, 3, 6)]
        selected = [span for span in spans if rng.random() < 0.6]
        result = [{"start": start, "end": end, "label": label} for start, end, label in selected]
        sides.append({"id": f"d{number}", "tokens": tokens, "entities": result, "sentences": [0, 3]})
    return sides[0], sides[1]


def tagging(number: int, rng: random.Random) -> tuple[Record, Record]:
    words = [f"w{rng.randint(0, 20)}" for _ in range(rng.randint(1, 8))]
    sides = [[rng.choice("NVDA") if rng.random() < 0.9 else "N|V" for _ in words] for _ in range(2)]
    starts = sorted({0, len(words) // 2})
    records = [{"id": f"d{number}", "words": words, "tags": tags, "sentences": starts} for tags in sides]
    return records[0], records[1]


def anaphora(number: int, rng: random.Random) -> tuple[Record, Record]:
    sides = [
        {
            "document": f"d{number}",
            "anaphors": [{"anaphor": f"a{k}", "antecedents": [rng.choice(["x", "y"])]} for k in (1, 2)],
        }
        for _ in range(2)
    ]
    return sides[0], sides[1]


TASKS = {"speech": speech, "coref": coref, "entities": entities, "tagging": tagging, "anaphora": anaphora}
HOME = {"speech": "manifest", "coref": "jsonlines", "entities": "jsonl", "tagging": "jsonl", "anaphora": "jsonlines"}
SKIP = {"speech": {"speech.atene", "speech.atene_ds", "speech.atene_i", "speech.severity", "speech.per"}}
"""Measures that need models or packages of their own."""


def records(task: str, count: int = 40, seed: int = 1) -> tuple[list[Record], list[Record]]:
    rng = random.Random(seed)
    key, response = zip(*(TASKS[task](number, rng) for number in range(count)), strict=True)
    return list(key), list(response)


def damage_text(
    kind: str, key: list[Record], response: list[Record]
) -> tuple[list[Record], list[Record], dict[str, Any]]:
    """A response in another order, without some documents, with more of them, or all of these."""
    if kind in ("shuffled", "all"):
        random.Random(2).shuffle(response)
    if kind in ("missing", "all"):
        response = [record for number, record in enumerate(response) if number % 7]
    if kind in ("extra", "counted", "all"):
        key = [record for number, record in enumerate(key) if number % 5]
    return key, response, {"extra": "count"} if kind in ("counted", "all") else {}


def measures(task: str) -> list[Any]:
    return [measure for measure in registry.measures(task) if measure.name not in SKIP.get(task, ())]


# Formats.


def lines(corpus_records: Sequence[Record]) -> str:
    return "".join(json.dumps(record) + "\n" for record in corpus_records)


def by_writer(task: str, form: Any) -> Callable[[Sequence[Record]], str]:
    """What the writer of a format makes of records."""

    def write_text(corpus_records: Sequence[Record]) -> str:
        home = registry.format(task, HOME[task])
        return "".join(form.write(list(home.read(Source("made.jsonl", lines(corpus_records).encode())))))

    return write_text


def stm(corpus_records: Sequence[Record]) -> str:
    return "".join(
        f"{record['id']} A {record.get('speaker', 'x')} {place}.0 {place}.9 {word}\n"
        for record in corpus_records
        for place, word in enumerate(["well", *record["text"].split()])
    )


def ctm(corpus_records: Sequence[Record]) -> str:
    return "".join(
        f"{record['id']} A {place}.1 0.5 {word}\n"
        for record in corpus_records
        for place, word in enumerate(["well", *record["text"].split()])
    )


def seglst(corpus_records: Sequence[Record]) -> str:
    return json.dumps(
        [{"session_id": record["id"], "words": record["text"], "speaker": "a"} for record in corpus_records]
    )


def spans_of(record: Record) -> dict[int, Record]:
    return {span["start"]: span for span in record["entities"]}


def tags_of(record: Record) -> list[str]:
    tags = ["O"] * len(record["tokens"])
    for span in record["entities"]:
        for place in range(span["start"], span["end"]):
            tags[place] = ("B-" if place == span["start"] else "I-") + span["label"]
    return tags


def hipe(corpus_records: Sequence[Record]) -> str:
    rows = ["TOKEN\tNE-COARSE-LIT\tMISC"]
    for record in corpus_records:
        rows.append(f"# hipe2022:document_id = {record['id']}")
        rows += [f"{token}\t{tag}\t_" for token, tag in zip(record["tokens"], tags_of(record), strict=True)]
    return "\n".join(rows) + "\n"


def table(corpus_records: Sequence[Record]) -> str:
    rows = [f"{record['id']},{token},{tag}\n" for record in corpus_records
            for token, tag in zip(record["tokens"], tags_of(record), strict=True)]  # fmt: skip
    return "Document,Word,Tag\n" + "".join(rows)


def tags_jsonl(corpus_records: Sequence[Record]) -> str:
    return lines(
        [{"id": record["id"], "tokens": record["tokens"], "ner_tags": tags_of(record)} for record in corpus_records]
    )


def subtitles(record: Record) -> str:
    return f"1\n00:00:00,000 --> 00:00:01,000\n{record['text']}\n"


def rttm(records: Sequence[Record]) -> str:
    return "".join(
        f"LEXEME {record['id']} 1 {place} 0.5 {word} lex {record.get('speaker', 'x')} <NA> <NA>\n"
        for record in records
        for place, word in enumerate(["well", *record["text"].split()])
    )


def recogniser_json(record: Record) -> str:
    return json.dumps({"text": record["text"], "segments": [{"start": 0, "end": 1, "text": record["text"]}]})


def textgrid(record: Record) -> str:
    head = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n9\n<exists>\n1\n"IntervalTier"\n"words"\n'
    return f'{head}0\n9\n1\n0\n9\n"{record["text"]}"\n'


def elan(record: Record) -> str:
    slots = '<TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="b" TIME_VALUE="9"/>'
    annotation = (
        '<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="a" TIME_SLOT_REF2="b">'
        f"<ANNOTATION_VALUE>{record['text']}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
    )
    return (
        f'<ANNOTATION_DOCUMENT><TIME_ORDER>{slots}</TIME_ORDER><TIER TIER_ID="x">{annotation}</TIER>'
        "</ANNOTATION_DOCUMENT>"
    )


def bare_iob(corpus_records: Sequence[Record]) -> str:
    """IOB without a mark of documents: the whole file is one."""
    blocks = [
        "\n".join(row.rpartition("\t")[0] for row in hipe([record]).split("\n")[2:-1]) for record in corpus_records
    ]
    return "\n\n".join(blocks) + "\n"


def muc_sgml(corpus_records: Sequence[Record]) -> str:
    texts = []
    for record in corpus_records:
        words = list(record["tokens"])
        for span in record["entities"]:
            words[span["start"]] = f'<ENAMEX TYPE="{span["label"]}">{words[span["start"]]}'
            words[span["end"] - 1] += "</ENAMEX>"
        texts.append(f"<DOC>\n<DOCID>{record['id']}</DOCID>\n{' '.join(words)}\n</DOC>\n")
    return "".join(texts)


def answers(answer: Callable[[Record], str]) -> Callable[[Sequence[Record]], str]:
    """Raw answers of a model, one in three with prose around it."""

    def write_text(corpus_records: Sequence[Record]) -> str:
        prose = ["", "", "Here it is:\n"]
        return lines([{"id": record.get("id", record.get("doc_key")), "answer": prose[number % 3] + answer(record)}
                      for number, record in enumerate(corpus_records)])  # fmt: skip

    return write_text


def list_items(record: Record) -> str:
    return json.dumps(
        [{"text": " ".join(record["tokens"][span["start"] : span["end"]]), "label": span["label"]}
         for span in record["entities"]]
    )  # fmt: skip


def listed_by_line(record: Record) -> str:
    result = [
        f"{' '.join(record['tokens'][entity['start'] : entity['end']])} ({entity['label']})"
        for entity in record["entities"]
    ]
    return "\n".join(result) or "no entities"


def mark_words(record: Record) -> str:
    words = list(record["tokens"])
    for span in record["entities"]:
        words[span["start"]] = f"<{span['label']}>{words[span['start']]}"
        words[span["end"] - 1] += f"</{span['label']}>"
    return " ".join(words)


def tokens_of(record: Record) -> list[str]:
    return [token for sentence in record["sentences"] for token in sentence]


def chains(record: Record) -> str:
    tokens = tokens_of(record)
    return json.dumps([[tokens[start] for start, _ in cluster] for cluster in record["clusters"]])


def marked_chains(record: Record) -> str:
    words = tokens_of(record)
    for number, cluster in enumerate(record["clusters"], 1):
        for start, _ in cluster:
            words[start] = f"[{words[start]}]{number}"
    return " ".join(words)


def gap_pairs(corpus_records: Sequence[Record]) -> str:
    rows = [f"{item['document']}-{k}\t{answer['antecedents'] == ['x']}\tFALSE\n" for item in corpus_records
            for k, answer in enumerate(item["anaphors"])]  # fmt: skip
    return "ID\tA-coref\tB-coref\n" + "".join(rows).upper()


def chains_by_anaphora(corpus_records: Sequence[Record]) -> str:
    """Chains that have as many documents as records of anaphors."""
    made = []
    for record in corpus_records:
        other = [answer["antecedents"] == ["x"] for answer in record["anaphors"]]
        chains = [[[0, 0], [2, 2]], [[1, 1], [3, 3]]] if other[0] else [[[0, 0], [3, 3]], [[1, 1], [2, 2]]]
        chains = chains if any(answer["antecedents"] for answer in record["anaphors"]) else []
        made.append({"doc_key": record["document"], "sentences": [["Ann", "Bo", "he", "she", "."]], "clusters": chains})
    return lines(made)


def uima_chains(record: Record) -> str:
    tokens = tokens_of(record)
    places = [sum(map(len, tokens[:number])) + number for number in range(len(tokens))]
    lines = [f'<seg:Token xmi:id="t{number}" sofa="1" begin="{place}" end="{place + len(token)}"/>'
             for number, (place, token) in enumerate(zip(places, tokens, strict=True))]  # fmt: skip
    for chain, cluster in enumerate(record["clusters"]):
        for number, (start, _) in enumerate(cluster):
            after = f' next="c{chain}-{number + 1}"' if number + 1 < len(cluster) else ""
            end = places[start] + len(tokens[start])
            lines.append(f'<c:Link xmi:id="c{chain}-{number}" sofa="1" begin="{places[start]}" end="{end}"{after}/>')
        lines.append(f'<c:Chain xmi:id="c{chain}" first="c{chain}-0"/>')
    spaces = 'xmlns:c="http:///custom.ecore" xmlns:seg="http:///seg.ecore" xmlns:cas="http:///uima/cas.ecore"'
    sofa = f'<cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="{" ".join(tokens)}"/>'
    return f'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" {spaces}>{"".join(lines)}{sofa}</xmi:XMI>\n'


def apf(record: Record) -> str:
    result = "".join(
        f'<entity ID="E{number}" TYPE="{span["label"]}" CLASS="SPC"><entity_mention ID="E{number}-1" TYPE="NAM">'
        f'<extent><charseq START="{span["start"]}" END="{span["end"]}">x</charseq></extent></entity_mention></entity>'
        for number, span in enumerate(record["entities"])
    )
    return f'<source_file URI="a.sgm"><document DOCID="{record["id"]}">\n{result}</document></source_file>\n'


def litbank(record: Record) -> str:
    rows, number = [], 0
    for chain, cluster in enumerate(record["clusters"]):
        for start, _ in cluster:
            where = f"{start // 6}\t{start % 6}"
            rows.append(f"MENTION\tT{number}\t{where}\t{where}\tx\tPER\tPROP\nCOREF\tT{number}\tc-{chain}")
            number += 1
    return "\n".join(rows) + "\n"


def booknlp(record: Record) -> str:
    rows = ["COREF\tstart_token\tend_token\tprop\tcat\ttext"]
    rows += [f"{chain}\t{start}\t{end}\tPROP\tPER\tx" for chain, row in enumerate(record.get("clusters", ()))
             for start, end in row]  # fmt: skip
    rows += [f"{number}\t{span['start']}\t{span['end'] - 1}\tPROP\t{span['label']}\tx"
             for number, span in enumerate(record.get("entities", ()))]  # fmt: skip
    return "\n".join(rows) + "\n"


def tei_chains(record: Record) -> str:
    words = tokens_of(record)
    for chain, cluster in enumerate(record["clusters"]):
        for start, _ in cluster:
            words[start] = f'<rs ref="#c{chain}">{words[start]}</rs>'
    return f"<TEI><text><p>{' '.join(words)}</p></text></TEI>\n"


def tei_names(record: Record) -> str:
    words = list(record["tokens"])
    for span in record["entities"]:
        words[span["start"]] = f'<name type="{span["label"]}">{words[span["start"]]}'
        words[span["end"] - 1] += "</name>"
    return f"<TEI><text><p>{' '.join(words)}</p></text></TEI>\n"


def gate(record: Record) -> str:
    words = enumerate(record["tokens"])
    nodes = "".join(f'<Node id="{number}"/>{token}<Node id="e{number}"/> ' for number, token in words)
    marks = "".join(f'<Annotation Type="{span["label"]}" StartNode="{span["start"]}" EndNode="e{span["end"] - 1}"/>'
                    for span in record["entities"])  # fmt: skip
    return (
        f"<GateDocument><TextWithNodes>{nodes}</TextWithNodes><AnnotationSet>{marks}</AnnotationSet></GateDocument>\n"
    )


WRITTEN: dict[str, Callable[[Sequence[Record]], str]] = {
    "speech.rttm": rttm, "speech.stm": stm, "speech.ctm": ctm, "speech.seglst": seglst, "entities.hipe": hipe,
    "entities.table": table, "entities.tags_jsonl": tags_jsonl,
    "entities.muc_sgml": muc_sgml, "anaphora.gap": gap_pairs, "anaphora.coref": chains_by_anaphora,
    "entities.llm_json": answers(list_items), "entities.llm_lines": answers(listed_by_line),
    "entities.inline_text": answers(mark_words), "coref.mentions_json": answers(chains),
    "coref.inline_text": answers(marked_chains),
}  # fmt: skip
"""How records are written in formats that aune does not write, or not from these."""
ANSWERS = ("llm_json", "llm_lines", "inline_text", "mentions_json")
"""Formats of responses alone, which are laid on the key's text."""
FILES: dict[str, Callable[[Record], str]] = {
    "entities.apf": apf, "coref.uima": uima_chains, "coref.booknlp": booknlp,
    "entities.booknlp": booknlp, "coref.tei": tei_chains, "entities.tei": tei_names, "entities.gate": gate,
    "coref.litbank": litbank, "speech.subtitles": subtitles,
    "speech.recogniser_json": recogniser_json, "speech.textgrid": textgrid, "speech.elan": elan,
}  # fmt: skip
"""Formats whose files are one document each, and that aune does not write."""
SUFFIXES = {"brat": ".ann", "booknlp": ".entities", "tei": ".xml", "gate": ".xml",
             "uima": ".xmi", "coref_annotator": ".xmi",
            "litbank": ".ann", "webanno": ".tsv", "apf": ".apf.xml", "quaero": ".ne",
            "subtitles": ".srt", "recogniser_json": ".json", "textgrid": ".TextGrid", "elan": ".eaf"}  # fmt: skip
"""The formats whose files are one document each."""
OPTIONS: dict[str, dict[str, Any]] = {
    "tagging.conllu": {"documents": "newdoc"}, "tagging.tsv": {"documents": "newdoc"},
    "tagging.slash": {"documents": "newdoc"},
    "entities.inline_text": {"realign": "words"}, "coref.inline_text": {"realign": "words"},
    "coref.mentions_json": {"place": "in-order"}, "anaphora.coref": {"chains_format": "jsonlines"},
}  # fmt: skip


def write_text(folder: Path, name: str, task: str, form: str, corpus_records: Sequence[Record]) -> str:
    """A file, or a folder of files, that holds records in a format."""
    full = f"{task}.{form}"
    if form not in SUFFIXES:
        path = folder / f"{name}.{form}"
        text = (
            WRITTEN[full](corpus_records)
            if full in WRITTEN
            else by_writer(task, registry.format(task, form))(corpus_records)
        )
        path.write_text(text)
        return str(path)
    home = folder / f"{name}-{form}"
    home.mkdir()
    for record in corpus_records:
        path = home / f"{record.get('id', record.get('doc_key'))}{SUFFIXES[form]}"
        if full in FILES:
            path.write_text(FILES[full](record))
            if form == "litbank":
                path.with_suffix(".txt").write_text(
                    "".join(" ".join(sentence) + "\n" for sentence in record["sentences"])
                )
            continue
        documents = list(registry.format(task, HOME[task]).read(Source("made.jsonl", lines([record]).encode())))
        writer = registry.format(task, form)
        path.write_text("".join(writer.write(documents)))  # type: ignore[misc] # it has one
        for ending, text in (writer.beside(documents) if writer.beside else {}).items():
            path.with_suffix(ending).write_text(text)
    return str(home)


def files(
    folder: Path, task: str, form: str, key: Sequence[Record], responses: dict[str, Sequence[Record]]
) -> tuple[str, dict[str, str], dict[str, Any]]:
    """A key and responses in a format, and the options to read them with."""
    expected = HOME[task] if form in ANSWERS else form
    named = {} if form in SUFFIXES else {"key_format": expected, "response_format": form}
    options = {**named, **OPTIONS.get(f"{task}.{form}", {})}
    return (
        write_text(folder, "key", task, expected, key),
        {name: write_text(folder, name, task, form, response) for name, response in responses.items()},
        options,
    )
