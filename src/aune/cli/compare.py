"""`aune compare`: which system is better, and how sure that is."""

from __future__ import annotations

from aune.cli._inputs import AS_USUAL, File, FileOrStdin, Measures, Options, Reading, TaskName, measure_names
from aune.cli._numbers import Digits, Draws, Level, Seed
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_text, screen, warn

GROUP = "Score"


def compare(
    task: TaskName,
    key: FileOrStdin,
    /,
    *responses: File,
    measures: Measures = None,
    test: str = "randomisation",
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 1,
    unit: str = "auto",
    correction: str = "holm",
    format: OutputFormat = None,
    output: OutputFile = None,
    reading: Reading = AS_USUAL,
    digits: Digits = 2,
    **options: Options,
) -> int:
    """Compare systems on the same key, pair by pair.

    For every measure and every pair: the difference, its confidence interval, the p-value of a two-sided paired test
    (also corrected for the number of pairs), and the size of the effect in standard deviations.

    aune compare coref key.conll a.conll b.conll -m conll

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        What is expected: a file, a folder, or - for standard input.
    responses
        What the systems gave, two or more: files or folders, or name=path to name a system.
    measures
        Names or expressions, separated by commas or repeated; `muc.recall` compares by this value.
    test
        randomisation (exchange the systems on random units), bootstrap (centred), sign or wilcoxon (on the values of
        single units); for speech also mapsswe (on the word errors of segments between words that both systems have
        right) and mcnemar (on the utterances that only one of the two has right).
    level
        How often the intervals should hold the true difference; systems with corrected p ≤ 1 − level are told apart.
    draws
        Random exchanges, and bootstrap replicates for the intervals.
    seed
        Where the random draws start.
    unit
        What is exchanged or drawn: an attribute of the task's units, such as document, speaker or sentence; auto:
        documents, or their sentences or utterances where there are fewer than five.
    correction
        How p-values are corrected for the number of pairs, and with it which systems are told apart: holm (the chance
        of one false difference) or benjamini-hochberg (the share of false ones among those found).
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result, written whole or not at all; standard output otherwise.
    digits
        Decimals shown in tables.
    """
    from aune.core import registry
    from aune.core.errors import UsageError
    from aune.core.evaluation import evaluate
    from aune.explain.analysis import study
    from aune.explain.tests import told
    from aune.reports.comparison import write
    from aune.reports.paper import chosen_values
    from aune.statistics.comparison import compare_systems

    if len(responses) < 2:
        raise UsageError("expected at least two responses to compare: aune compare TASK KEY A B")
    names, values = chosen_values(task, measure_names(measures))
    paired = registry.task(task).tests.get(test)
    if paired is None:
        result, special = reading.run(evaluate, task, key, responses, names, options), None
    else:
        if names not in ([], [paired.measure], [f"{task}.{paired.measure}"]):
            about = paired.measure
            raise UsageError(f"{test} is a test of the {about} of {task}: use it with aune compare {task} -m {about}")
        evaluated = reading.run(study, task, key, responses, [paired.measure], options)
        result, special = evaluated.result, told(evaluated, test)
    found = compare_systems(result, test, told=special, level=level, draws=draws, seed=seed, unit=unit,
                            correction=correction)  # fmt: skip
    warn([*found.warnings, *result.warnings])
    put_text(write(found, chosen_format(format, output), digits, values=values, **screen(output)), output)
    return 0
