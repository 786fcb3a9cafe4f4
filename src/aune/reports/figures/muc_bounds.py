"""What MUC is sure to give: the lower bounds of recall and precision by the number of response chains, and the systems.

For one text, the one with most mentions. With |E| mentions and |P_K| key chains, MUC's recall is at least
(|E| − |P_K|·|P_R|) / (|E| − |P_K|) and its precision at least (|E| − |P_K|·|P_R|) / (|E| − |P_R|), whatever the
response: with few response chains, even a bad one gets a good score.

Source: Popescu-Belis 1999, PROP. 5 and figure 2. One-sided mentions are completed with singletons, as there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aune.reports.figures.plot import Axis, Plot, Point, Series

if TYPE_CHECKING:
    from aune.explain.analysis import Study


def draw(study: Study) -> Plot | None:
    """Both bounds as curves, the systems as points on the same text."""
    if study.result.task != "coref":
        return None
    tables = {
        system: [comparison.table("complete") for comparison in comparisons]
        for system, comparisons in study.comparisons.items()
    }
    names = {
        system: [name for comparison in comparisons for name in comparison.units["document"]]
        for system, comparisons in study.comparisons.items()
    }
    first = next(iter(tables))
    sizes = [int(size) for table in tables[first] for size in table.key_mentions]
    if not sizes or max(sizes) < 3:
        return None
    text = names[first][sizes.index(max(sizes))]
    points = {system: _counts(tables[system], names[system], text) for system in tables}
    mentions, key_chains = points[first][0], points[first][1]
    if mentions <= key_chains:
        return None
    chains = [count for count in range(1, mentions) if mentions >= key_chains * count]
    remaining = [mentions - key_chains * count for count in chains]
    recall = [Point(count, part / (mentions - key_chains)) for count, part in zip(chains, remaining, strict=True)]
    precision = [Point(count, part / (mentions - count)) for count, part in zip(chains, remaining, strict=True)]
    curves = [
        Series("lower bound of recall", recall, "line"),
        Series("lower bound of precision", precision, "line", dashed=True),
    ]
    dots = [_dots(points, 0), _dots(points, 1)]
    title = f"MUC's lower bounds: {text}, {mentions} mentions, {key_chains} chains"
    return Plot(title, Axis("response chains", logarithmic=True), Axis("MUC", 0.0, 1.0, percent=True), [*curves, *dots])


def _counts(tables: list[Any], names: list[str], text: str) -> tuple[int, int, int, int]:
    """Mentions, key chains, response chains and cells of a text."""
    place = names.index(text)
    for table in tables:
        if place < table.documents:
            columns = (table.key_mentions, table.key_chains, table.response_chains, table.cells)
            mentions, keys, responses, cells = (int(column[place]) for column in columns)
            return mentions, keys, responses, cells
        place -= table.documents
    raise LookupError(text)


def _dots(points: dict[str, tuple[int, int, int, int]], side: int) -> Series:
    dots = []
    for system, (mentions, keys, responses, cells) in points.items():
        base = mentions - (keys, responses)[side]
        value = (mentions - cells) / base if base else 1.0
        name = ("recall", "precision")[side]
        dots.append(Point(responses, value, f"{system}: {name} {100 * value:.1f}, {responses} chains", system=system))
    return Series(f"{('recall', 'precision')[side]} of the systems", dots, colour=side)
