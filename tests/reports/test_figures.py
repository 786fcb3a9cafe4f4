"""Figures: drawn from the data, well-formed whatever the names, exported for papers."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from aune.cli import run
from aune.core.errors import UsageError
from aune.explain.analysis import Study, study
from aune.reports.figures import caption, drawing, drawings, names
from aune.reports.figures.drawing import Axis, Grid, Plot, Point, Series, decades, ticks
from aune.reports.figures.export import ready

HOSTILE = '<b>"\'&\u202e $ink "$0"'
KEY = {f"d{n}": [[(0, 1), (2, 3), (6, 7)], [(4, 5), (8, 9)]] for n in range(6)}


@pytest.fixture(scope="module")
def found() -> Study:
    worse = {name: [[(0, 1), (2, 3)], [(4, 5), (6, 7)], [(20, 21)]] for name in KEY}
    return study("coref", KEY, {"good": KEY, HOSTILE: worse})


def test_every_figure_has_a_caption() -> None:
    assert {"scores", "recall_precision", "muc_bounds", "correlation", "error_increase", "kinds"} <= set(names())
    for name in names():
        assert caption(name), name


@pytest.mark.parametrize("page", [True, False])
def test_drawings_are_well_formed(found: Study, page: bool) -> None:
    drawn = list(drawings(found))
    assert len(drawn) >= 5
    for one in drawn:
        tree = ElementTree.fromstring(one.figure.svg(page))
        assert not [node for node in tree.iter() if node.tag.endswith("}b")]
        text = one.figure.svg(page)
        assert "var(" in text if page else "var(" not in text
        assert 'fill="$' not in text and 'stroke="$' not in text


def test_points_know_their_system(found: Study) -> None:
    text = drawing("scores", found).figure.svg(page=True)
    assert 'data-system="good"' in text


def test_bounds_hold(found: Study) -> None:
    """No system is below the curves of PROP. 5."""
    figure = drawing("muc_bounds", found).figure
    assert isinstance(figure, Plot)
    recall, precision, recalls, precisions = figure.series
    for curve, dots in ((recall, recalls), (precision, precisions)):
        bound = {point.x: point.y for point in curve.points}
        assert all(dot.y >= bound.get(dot.x, 0.0) - 1e-12 for dot in dots.points)


def test_equal_f1_curves(found: Study) -> None:
    figure = drawing("recall_precision", found).figure
    assert isinstance(figure, Plot)
    for level, curve in zip((0.2, 0.4, 0.6, 0.8), figure.series, strict=False):
        for point in curve.points[1:]:
            assert 2 * point.x * point.y / (point.x + point.y) == pytest.approx(level)


def test_correlations_are_those_of_scipy(found: Study) -> None:
    from scipy.stats import spearmanr

    rng_key = {f"d{n}": [[(i, i + 1) for i in range(0, 12, 2)]] for n in range(8)}
    response = {f"d{n}": [[(i, i + 1) for i in range(0, 2 + n, 2)], [(20 + n, 21 + n)]] for n in range(8)}
    some = study("coref", rng_key, {"s": response}, measures=["muc", "b_cubed", "lea"])
    grid = drawing("correlation", some).figure
    assert isinstance(grid, Grid)
    columns = [[values["f1"] for _, values in sorted(one.by("document").items())] for one in some.result]
    assert grid.values[0][1] == pytest.approx(spearmanr(columns[0], columns[1]).statistic)


def test_increase_of_errors_by_hand() -> None:
    base = {"d": [[(0, 1), (2, 3)], [(4, 5), (6, 7)]]}
    one, three = {"d": [[(0, 1), (2, 3)], [(4, 5)]]}, {"d": [[(0, 1)], [(4, 5)], [(6, 7)]]}
    figure = drawing("error_increase", study("coref", base, {"manual": one, "automatic": three})).figure
    assert isinstance(figure, Plot)
    assert list(figure.x.names) == ["missing mention"] and [point.y for point in figure.series[0].points] == [0.0]


def test_what_cannot_be_drawn_says_so() -> None:
    with pytest.raises(UsageError, match="nothing to draw here"):
        drawing("error_increase", study("coref", KEY, {"one": KEY}))
    with pytest.raises(UsageError, match="unknown figure"):
        drawing("pie", study("coref", KEY, {"one": KEY}))


def test_ticks() -> None:
    assert ticks(-0.05, 0.31) == [0.0, 0.1, 0.2, 0.3]
    assert ticks(0, 2300) == [0, 500, 1000, 1500, 2000]
    assert decades(3, 700) == [5, 10, 20, 50, 100, 200, 500]


def test_one_point_is_enough() -> None:
    figure = Plot("t", Axis("x"), Axis("y"), [Series("s", [Point(1.0, 1.0)])])
    ElementTree.fromstring(figure.svg())


def files(examples: Path) -> list[str]:
    return [str(examples / "coref" / f"{name}.conll") for name in ("key", "strings", "neural")]


def test_svg_from_the_command_line(examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["figure", "recall-precision", "coref", *files(examples), "-o", str(tmp_path / "x.svg")]) == 0
    ElementTree.parse(tmp_path / "x.svg")
    assert run(["figure", "scores", "coref", *files(examples)]) == 0
    ElementTree.fromstring(capsys.readouterr().out)


@pytest.mark.parametrize(("suffix", "magic"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_pdf_and_png(examples: Path, tmp_path: Path, suffix: str, magic: bytes) -> None:
    pytest.importorskip("cairosvg")
    output = tmp_path / f"x.{suffix}"
    assert run(["figure", "kinds", "coref", *files(examples), "-o", str(output)]) == 0
    assert output.read_bytes().startswith(magic)


def test_a_missing_extra_is_told_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aune.reports.figures.export.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"aune\[figures\]"):
        ready(Path("x.pdf"))
    with pytest.raises(UsageError, match=r"svg, \.pdf or \.png"):
        ready(Path("x.gif"))
    ready(Path("x.svg"))


def test_names_cannot_be_taken_for_colours() -> None:
    figure = Plot('"$ink"', Axis("x"), Axis("y"), [Series('"$0"', [Point(0.0, 0.0, '"$soft"')])])
    assert "&quot;$ink&quot;" in figure.svg()


TABLE = """system,measure,score,downstream,better
REF,wer,0,,lower
A,wer,10,,lower
B,wer,20,,lower
REF,insertions,20,tagger,lower
A,insertions,30,tagger,lower
B,insertions,25,tagger,lower
"""


def test_downstream_scores(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text(TABLE)
    assert run(["figure", "downstream", str(table), "-o", str(tmp_path / "x.svg")]) == 0
    assert "A: wer 10, insertions 30" in (tmp_path / "x.svg").read_text()
    assert run(["figure", "downstream-increase", str(table), "-o", str(tmp_path / "y.svg")]) == 2
    assert run(["figure", "downstream-increase", str(table), "--manual", "REF", "-o", str(tmp_path / "y.svg")]) == 0
    text = (tmp_path / "y.svg").read_text()
    assert "A: 20 → 30, +50 %" in text and "B: 20 → 25, +25 %" in text
    assert run(["figure", "downstream", str(table), "--target", "f1"]) == 2


def test_zones_and_alpha(examples: Path, tmp_path: Path) -> None:
    folder = examples / "tagging"
    tagged = ["tagging", str(folder / "key.tsv"), str(folder / "neural.tsv")]
    assert run(["figure", "decision-plane", *tagged, "-o", str(tmp_path / "z.svg")]) == 0
    folder = examples / "entities"
    trees = ["entities", str(folder / "key.ne"), str(folder / "careless.ne"), str(folder / "structured.ne")]
    for name in ("eter-alpha", "inserted-entities", "error-increase"):
        assert run(["figure", name, *trees, "-o", str(tmp_path / f"{name}.svg")]) == 0
        ElementTree.parse(tmp_path / f"{name}.svg")


def test_alpha_is_the_measure_s_own(examples: Path) -> None:
    import aune

    folder = examples / "entities"
    paths = str(folder / "key.ne"), str(folder / "careless.ne")
    figure = drawing("eter_alpha", study("entities", paths[0], {"s": paths[1]})).figure
    assert isinstance(figure, Plot)
    for point in figure.series[0].points[::5]:
        assert point.y == pytest.approx(aune.score("entities", *paths, measures=["eter"], alpha=point.x)["eter"].eter)
