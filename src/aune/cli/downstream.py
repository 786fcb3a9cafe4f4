"""`aune downstream`: what a recogniser of entities makes of transcripts."""

from __future__ import annotations

from aune.cli._inputs import keywords
from aune.cli._output import OutputFile, OutputFormat, put_json, put_text, warn


def downstream(
    key: str,
    response: str,
    /,
    *,
    manual: str | None = None,
    normalise: str = "none",
    format: OutputFormat = None,
    output: OutputFile = None,
    input_format: str | None = None,
    **options: str,
) -> None:
    """Score what an entity recogniser found in automatic transcripts.

    The entities of the key are projected on the response's words, and the recogniser's entities compared with them:
    slot error rate, ETER, and how much each kind of error grows from manual to automatic transcripts (PAE).

    Parameters
    ----------
    key
        What was said, with the right entities.
    response
        What a speech recogniser made of it, with the entities found there.
    manual
        What was said, with the entities that the same recogniser found there.
    normalise
        Steps before comparing: see `aune list options speech`.
    format
        table or json.
    output
        A file for the result; standard output otherwise.
    input_format
        The format, when it should not be recognised from the content.
    """
    from aune.core import registry
    from aune.core.asked import asked_options, for_responses
    from aune.core.corpus import pair, read
    from aune.tasks.speech.comparison import normalised
    from aune.tasks.speech.downstream import Downstream
    from aune.tasks.speech.downstream import downstream as scored
    from aune.tasks.speech.model import utterances
    from aune.tasks.speech.text.normalisation import Normaliser

    home = registry.task("speech")
    chosen = asked_options(home, [], None, keywords(options)).given
    expected = read(home, key, input_format, **chosen)
    given = read(home, response, input_format, **for_responses(chosen))
    pairs, notes = pair(home, expected, given)
    warn([*expected.warnings, *given.warnings, *notes])
    before = None
    if manual is not None:
        steps = Normaliser(normalise)
        own = utterances(read(home, manual, input_format, **chosen).documents)
        before = {one.id: normalised(one, steps).entities for one in own}
    found: Downstream = scored(pairs, before, normalise)
    if (format or ("json" if output and output.suffix == ".json" else "table")) == "json":
        record = {**found._asdict(), "automatic": found.automatic._asdict(),
                  "manual": found.manual._asdict() if found.manual else None}  # fmt: skip
        envelope = {"schema": 1, "task": "speech", "downstream": record}
        put_json(envelope, output)
        return
    put_text("\n".join(_rows(found)) + "\n", output)


def _rows(found: object) -> list[str]:
    from aune.reports.text import aligned
    from aune.tasks.speech.downstream import Downstream

    assert isinstance(found, Downstream)
    head = ("entities", "correct", "substitutions", "deletions", "insertions", "slot error rate")
    rows: list[tuple[str, ...]] = [head]
    for name, one in (("manual", found.manual), ("automatic", found.automatic)):
        if one is not None:
            rows.append((name, *map(str, one), _percent(one.slot_error_rate)))
    if found.pae:
        growth = [_signed(found.pae.get(kind)) for kind in ("substitutions", "deletions", "insertions")]
        rows.append(("PAE (%)", "", *growth, ""))
    rates = [
        ("SER", _percent(found.ser)),
        ("ETER", _percent(found.eter)),
        ("words deleted", _percent(found.word_deletions)),
        ("words inserted", _percent(found.word_insertions)),
    ]
    counts = [("entities made up in a stretch", "stretches"), *((str(k), str(n)) for k, n in found.inserted.items())]
    return [*aligned(rows), "", *aligned([("on automatic transcripts", "× 100"), *rates]), "", *aligned(counts)]


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.2f}"


def _signed(value: float | None) -> str:
    return "undefined" if value is None else f"{value:+.1f}"
