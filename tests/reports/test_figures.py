"""Figures: drawn from the data, the same from run to run, well-formed whatever the names, exported for papers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from aune.cli import run
from aune.errors import UsageError
from aune.explain.analysis import Study, study
from aune.meta.impact import Score
from aune.reports.figures import caption, draw_from_scores, drawing, drawings, names
from aune.reports.figures.export import check_output, export_figure, page_element
from aune.reports.figures.plot import Axis, NumberGrid, Plot, Point, Series
from aune.reports.figures.vegalite import specification

HOSTILE = '<b>"\'&\u202e\x1b[31m\x00\udcff $ink "$0"'
KEY = {f"d{n}": [[(0, 1), (2, 3), (6, 7)], [(4, 5), (8, 9)]] for n in range(6)}


@pytest.fixture(scope="module")
def hostile_study() -> Study:
    worse = {name: [[(0, 1), (2, 3)], [(4, 5), (6, 7)], [(20, 21)]] for name in KEY}
    return study("coref", KEY, {"good": KEY, HOSTILE: worse})


@pytest.fixture(scope="module")
def renderer() -> Any:
    return pytest.importorskip("vl_convert", reason="no vl-convert: pip install 'aune[figures]'")


def test_every_figure_has_a_caption() -> None:
    assert {"scores", "recall_precision", "muc_bounds", "correlation", "error_increase", "kinds"} <= set(names())
    for name in names():
        assert caption(name), name


def test_drawings_are_well_formed(hostile_study: Study, renderer: Any) -> None:
    drawn = list(drawings(hostile_study))
    assert len(drawn) >= 5
    for entry in drawn:
        inside, alone = entry.page_element(), export_figure(entry.figure, None).decode()
        for text in (inside, alone):
            tree = ElementTree.fromstring(text)
            assert not [node for node in tree.iter() if node.tag.endswith("}b")]
        assert "currentColor" in inside and "currentColor" not in alone and "var(" not in alone
        assert "style=" not in inside, "the page's policy forbids styles that it does not know"
        assert not re.search(r"https?://", re.sub(r'xmlns(:xlink)?="[^"]*"', "", inside))


def test_figures_of_one_page_have_names_of_their_own(hostile_study: Study, renderer: Any) -> None:
    names_of = [re.findall(r'\bid="([^"]+)"', drawing.page_element()) for drawing in drawings(hostile_study)]
    every = [name for drawing in names_of for name in set(drawing)]
    assert len(every) == len(set(every))


def test_specifications_are_valid(hostile_study: Study) -> None:
    """By the schema of Vega-Lite, as the package of another project has it."""
    altair = pytest.importorskip("altair")
    for entry in drawings(hostile_study):
        for page in (False, True):
            altair.Chart.from_dict(specification(entry.figure, page))


def test_a_figure_is_the_same_from_run_to_run(renderer: Any) -> None:
    worse = {name: [[(0, 1), (2, 3)], [(4, 5), (6, 7)]] for name in KEY}
    for entry in drawings(study("coref", KEY, {"good": KEY, "worse": worse})):
        for name in ("x.svg", "x.pdf", "x.png", "x.vl.json"):
            first = export_figure(entry.figure, Path(name))
            assert first == export_figure(entry.figure, Path(name)), (entry.name, name)
            assert b"CreationDate" not in first


def labels(svg: str) -> list[tuple[float, float, str]]:
    """Where the texts of a drawing stand, in its own coordinates."""
    tree = ElementTree.fromstring(svg)
    rows = []

    def walk(node: ElementTree.Element, x: float, y: float) -> None:
        moved = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", node.get("transform", ""))
        if moved:
            x, y = x + float(moved[1]), y + float(moved[2])
        if node.tag.endswith("}text") and node.text:
            rows.append((x, y, node.text))
        for child in node:
            walk(child, x, y)

    walk(tree, 0.0, 0.0)
    return rows


def test_names_do_not_collide_at_twenty_systems(renderer: Any) -> None:
    systems = {f"a system with a long name {n:02}": {d: c if int(d[1:]) < n % 6 else c[:1] for d, c in KEY.items()}
               for n in range(20)}  # fmt: skip
    twenty = study("coref", KEY, systems)
    for name in ("scores", "recall_precision", "kinds"):
        figure = drawing(name, twenty).figure
        written = labels(export_figure(figure, None).decode())
        assert set(systems) <= {text for _, _, text in written}, name
        for system in systems:
            place = next((x, y) for x, y, text in written if text == system)
            near = [
                text for x, y, text in written if abs(y - place[1]) < 11 and abs(x - place[0]) < 120 and text != system
            ]
            assert not set(near) & set(systems), (name, system, near)


def test_a_title_is_no_wider_than_its_drawing(renderer: Any) -> None:
    small = NumberGrid(
        "Rank correlation of measures: 3 systems × 2 documents", ["ser", "muc"], ["ser", "muc"], [[1, 0], [0, 1]]
    )
    svg = export_figure(small, None).decode()
    lines = re.findall(r">([^<]*(?:Rank|measures|systems|documents)[^<]*)<", svg)
    assert " ".join(lines) == small.title
    assert max(map(len, lines)) * 7 < float(re.search(r'width="([\d.]+)"', svg)[1])  # type: ignore[index]


def test_axes_fit_the_data() -> None:
    near = [Series(name, [Point(0.91 + n / 100, 0.93 - n / 100)]) for n, name in enumerate("abc")]
    plot = Plot("t", Axis("recall", 0.0, 1.0, percent=True), Axis("precision", 0.0, 1.0, percent=True), near)
    for layer in specification(plot)["layer"]:
        for axis, (low, high) in {"x": (91, 93), "y": (91, 93)}.items():
            domain = layer["encoding"][axis]["scale"]["domain"]
            assert low - 1 < domain[0] < low and high < domain[1] < high + 1


def test_many_series_of_bars_are_a_grid() -> None:
    bars = [Series(f"s{n}", [Point(0, n), Point(1, 2 * n)], "bars") for n in range(9)]
    spec = specification(Plot("t", Axis("", names=["a", "b"]), Axis("errors", 0.0), bars))
    shown = {(entry["row"], entry["column"]): entry["shown"] for entry in spec["data"]["values"]}
    assert len(shown) == 18 and shown["s8", "b"] == "16"


def test_points_know_their_system(hostile_study: Study, renderer: Any) -> None:
    text = page_element("scores", drawing("scores", hostile_study).figure)
    assert 'xlink:href="#errors?system=good"' in text and "<title>good: 100.00</title>" in text


def test_bounds_hold(hostile_study: Study) -> None:
    """No system is below the curves of PROP. 5."""
    figure = drawing("muc_bounds", hostile_study).figure
    assert isinstance(figure, Plot)
    recall, precision, recalls, precisions = figure.series
    for curve, dots in ((recall, recalls), (precision, precisions)):
        bound = {point.x: point.y for point in curve.points}
        assert all(dot.y >= bound.get(dot.x, 0.0) - 1e-12 for dot in dots.points)


def test_equal_f1_curves(hostile_study: Study) -> None:
    figure = drawing("recall_precision", hostile_study).figure
    assert isinstance(figure, Plot)
    curves = [entry for entry in figure.series if entry.quiet]
    assert curves
    for curve in curves:
        for point in curve.points[1:]:
            assert 200 * point.x * point.y / (point.x + point.y) == pytest.approx(float(curve.name.split()[1]))


def test_correlations_are_those_of_scipy(hostile_study: Study) -> None:
    from scipy.stats import spearmanr

    rng_key = {f"d{n}": [[(i, i + 1) for i in range(0, 12, 2)]] for n in range(8)}
    response = {f"d{n}": [[(i, i + 1) for i in range(0, 2 + n, 2)], [(20 + n, 21 + n)]] for n in range(8)}
    some = study("coref", rng_key, {"s": response}, measures=["muc", "b_cubed", "lea"])
    grid = drawing("correlation", some).figure
    assert isinstance(grid, NumberGrid)
    columns = [[values["f1"] for _, values in sorted(score.by("document").items())] for score in some.result]
    assert grid.values[0][1] == pytest.approx(spearmanr(columns[0], columns[1]).statistic)


def test_increase_of_errors_by_hand() -> None:
    base = {"d": [[(0, 1), (2, 3)], [(4, 5), (6, 7)]]}
    item, three = {"d": [[(0, 1), (2, 3)], [(4, 5)]]}, {"d": [[(0, 1)], [(4, 5)], [(6, 7)]]}
    figure = drawing("error_increase", study("coref", base, {"manual": item, "automatic": three})).figure
    assert isinstance(figure, Plot)
    assert list(figure.x.names) == ["missing mention"] and [point.y for point in figure.series[0].points] == [0.0]


def test_what_cannot_be_drawn_says_so() -> None:
    with pytest.raises(UsageError, match="nothing to draw here"):
        drawing("error_increase", study("coref", KEY, {"one": KEY}))
    with pytest.raises(UsageError, match="unknown figure"):
        drawing("pie", study("coref", KEY, {"one": KEY}))


def test_one_point_is_enough(renderer: Any) -> None:
    figure = Plot("t", Axis("x"), Axis("y"), [Series("s", [Point(1.0, 1.0)])])
    ElementTree.fromstring(export_figure(figure, None))


def files(examples: Path) -> list[str]:
    return [str(examples / "coref" / f"{name}.conll") for name in ("key", "strings", "neural")]


def test_svg_from_the_command_line(
    renderer: Any, examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["figure", "recall-precision", "coref", *files(examples), "-o", str(tmp_path / "x.svg")]) == 0
    ElementTree.parse(tmp_path / "x.svg")
    assert run(["figure", "scores", "coref", *files(examples)]) == 0
    ElementTree.fromstring(capsys.readouterr().out)


@pytest.mark.parametrize(("suffix", "magic"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_pdf_and_png(examples: Path, tmp_path: Path, suffix: str, magic: bytes) -> None:
    pytest.importorskip("vl_convert")
    output = tmp_path / f"x.{suffix}"
    assert run(["figure", "kinds", "coref", *files(examples), "-o", str(output)]) == 0
    assert output.read_bytes().startswith(magic)


def test_the_specification_can_be_saved(examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs no renderer."""
    monkeypatch.setattr("aune.reports.figures.export.find_spec", lambda name: None)
    output = tmp_path / "x.vl.json"
    assert run(["figure", "kinds", "coref", *files(examples), "-o", str(output)]) == 0
    assert json.loads(output.read_text())["title"] == "Errors by kind"


def test_a_missing_extra_is_told_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aune.reports.figures.export.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"aune\[figures\]"):
        check_output(Path("x.pdf"))
    with pytest.raises(UsageError, match=r"svg, \.pdf, \.png or \.vl\.json"):
        check_output(Path("x.gif"))
    check_output(Path("x.vl.json"))


TABLE = """system,measure,score,downstream,better
REF,wer,0,,lower
A,wer,10,,lower
B,wer,20,,lower
REF,insertions,20,tagger,lower
A,insertions,30,tagger,lower
B,insertions,25,tagger,lower
"""


def test_downstream_scores(renderer: Any, tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text(TABLE)
    assert run(["figure", "downstream", str(table), "-o", str(tmp_path / "x.svg")]) == 0
    assert "A: wer 10, insertions 30" in (tmp_path / "x.svg").read_text()
    assert run(["figure", "downstream-increase", str(table), "-o", str(tmp_path / "y.svg")]) == 2
    assert run(["figure", "downstream-increase", str(table), "--manual", "REF", "-o", str(tmp_path / "y.svg")]) == 0
    text = (tmp_path / "y.svg").read_text()
    assert "A: 20 → 30, +50 %" in text and "B: 20 → 25, +25 %" in text
    assert run(["figure", "downstream", str(table), "--target", "f1"]) == 2


def test_bars_of_upstream_and_downstream_systems(tmp_path: Path) -> None:
    """Figures 5.3 and 5.4: a group per recogniser of entities and kind of error, a bar per recogniser of speech."""
    counts = {"ner1": {"REF": (4, 2), "A": (8, 3), "B": (4, 1)}, "ner2": {"REF": (10, 0), "A": (15, 7), "B": (9, 1)}}
    scores = [
        Score(system, kind, number, "", taker, "lower")
        for taker, systems in counts.items()
        for system, numbers in systems.items()
        for kind, number in zip(("omissions", "insertions"), numbers, strict=True)
    ]
    figure = draw_from_scores("downstream_bars", scores, upstream=None, target=None, manual="REF").figure
    assert isinstance(figure, Plot)
    assert list(figure.x.names) == ["ner1 omissions", "ner1 insertions", "ner2 omissions"]
    by_name = {
        entry.name: [(figure.x.names[int(point.x)], point.y) for point in entry.points] for entry in figure.series
    }
    assert by_name == {
        "A": [("ner1 omissions", 100.0), ("ner1 insertions", 50.0), ("ner2 omissions", 50.0)],
        "B": [("ner1 omissions", 0.0), ("ner1 insertions", -50.0), ("ner2 omissions", -10.0)],
    }
    alone = draw_from_scores("downstream_bars", scores[:6], upstream=None, target="omissions", manual="REF").figure
    assert isinstance(alone, Plot) and list(alone.x.names) == ["omissions"]
    for wrong in ({"manual": None}, {"manual": "REF", "target": "spelling"}, {"manual": "REF", "upstream": "wer"}):
        with pytest.raises(UsageError):
            draw_from_scores("downstream_bars", scores, **{"upstream": None, "target": None, **wrong})


def test_zones_and_alpha(renderer: Any, examples: Path, tmp_path: Path) -> None:
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
