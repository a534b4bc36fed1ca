# SPDX-License-Identifier: BSD-3-Clause
"""Estimated times of research codes, on invented rows with times from the surveys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.cases import Case, names, size_class
from benchmarks.peers import matching, research
from benchmarks.report import Options, Section

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"

# For the code that the one-core survey measured: its milliseconds, and its speed-up over the best
# research code.
SURVEYED = {
    "delaunay_n18": (15.9, 3.0),
    "circuit_2e5": (21.6, 4.1),
    "bandtri_2e5": (33.0, 0.96),
    "chain_5e5_rcp": (58.9, 0.90),
    "chains_500x1000": (14.2, 0.71),
    "road_2048_rcp": (665, 3.8),
    "circuit_3e6": (1052, 5.6),
}


def row(matrix, mine=1.0, kind="er", overran=(), **milliseconds):
    times = {"btfperm": mine, "no proof": mine / 2, **milliseconds}
    median = {name: time / 1e3 for name, time in times.items()}
    return {"matrix": matrix, "kind": kind, "median": median, "overran": list(overran)}


def anchors(slower=1.0):
    """The four matrices whose packaged time is in the one-core survey, `slower` times slower."""
    return [
        row("deadtree_1e5", SciPy=6.3 * 0.59 * slower, BTF=17300, igraph=0.001),
        row("rect_wide_2e5", SciPy=8.1 * 0.73 * slower, CXSparse=20),
        row("rect_tall_2e5", SciPy=100, BTF=2.3 * 0.77 * slower),
        row("road_512", SciPy=180, BTF=12.6 * 0.93 * slower),
    ]


def test_the_surveys_are_as_wide_as_their_heads_and_name_known_matrices():
    known = set(names("default", "field")) | set(names("default", "large"))
    for name, survey in research.SURVEYS.items():
        assert survey["source"] and survey["rows"]
        firsts = [r[0] for r in survey["rows"]]
        assert len(set(firsts)) == len(firsts)
        assert all(len(r) == len(survey["columns"]) for r in survey["rows"])
        if name != "real":
            assert set(firsts) <= known
    kinds = [size_class(nnz) for nnz in (10**6, 10**5, 10**4, 10)]
    assert [r[0] for r in research.SURVEYS["real"]["rows"]] == kinds


def test_no_column_of_the_field_table_is_faster_than_its_fastest():
    for matrix, (*columns, name, least) in research.FIELD.items():
        assert least <= min(t for t in columns if t is not None), matrix
        if name in (*research.CLASSICAL, *research.CODES):
            assert least in columns, matrix


@pytest.mark.parametrize(
    ("matrix", "times", "expected"),
    [
        ("rgg_n_2_16_rcp", {"BTF": 62.8}, ("KS-PFP", 33.4, "BTF")),  # a machine half as fast
        ("chains_hk_1000", {"SciPy": 4335, "BTF": 999}, ("cheap-PF", 11.55, "SciPy")),
        ("chains_hk_1000", {"BTF": 23.4}, ("cheap-PF", 23.1, "BTF")),
        ("rgg_n_2_16", {"SciPy": 3.86}, ("cheap-PFP", 5.3, "SciPy")),  # SciPy was the fastest
        ("rect_wide_2e5", {"SciPy": 9.4}, ("KS-PR", 46.8, "SciPy")),
        ("rmat_s20", {"SciPy": 13100}, ("KS-HKDW", 1080, "SciPy")),
    ],
)
def test_the_field_table_is_carried_over_by_the_same_matrix(matrix, times, expected):
    estimate = research.by_field(row(matrix, **times))
    assert (estimate.code, estimate.by) == (expected[0], expected[2])
    assert estimate.seconds * 1e3 == pytest.approx(expected[1])


def test_without_a_common_time_nothing_is_carried_over():
    assert research.by_field(row("rgg_n_2_16_rcp", SciPy=4000, CXSparse=17, igraph=9)) is None
    assert research.by_field(row("arrow_3e5", SciPy=4)) is None  # not in the table
    assert research.by_one_core(row("arrow_3e5"), None) is None
    assert research.by_one_core(row("hessenberg_1500"), 1.0) is None


@pytest.mark.parametrize("slower", [1.0, 0.5, 3.0])
def test_the_one_core_surveys_own_code_has_the_gains_it_reports(slower):
    rows = anchors(slower) + [row(m, ms * slower) for m, (ms, _) in SURVEYED.items()]
    assert research.factor(rows) == pytest.approx(slower)  # igraph is not one of its three
    _, data = research.against(rows, 60)
    found = {r["matrix"]: r["ratios"] for r in data["rows"]}
    for matrix, (_, gain) in SURVEYED.items():
        assert found[matrix]["btfperm"]["one core"] == pytest.approx(gain, abs=0.05)
        assert found[matrix]["no proof"]["one core"] == pytest.approx(2 * gain, abs=0.1)


def test_the_factor_takes_the_anchors_there_are():
    assert research.factor(anchors(2.0)[:1]) == pytest.approx(2)
    first, *rest = anchors(2.0)
    stopped = [row(r["matrix"], overran=["SciPy", "BTF"], igraph=1) for r in rest]
    assert research.factor([first, *stopped]) == pytest.approx(2)
    assert research.factor([row("arrow_3e5", SciPy=4)]) is None


def test_the_summary_has_the_mean_the_worst_and_the_harsher_of_both():
    rows = [
        *anchors(),
        row("delaunay_n18", 10, SciPy=170),  # 4.49 by the field table, 4.79 by the other one
        row("bandtri_2e5", 100, BTF=273),  # 1.02 and .316
        row("er_3e5_d2.0", 30.5),  # 1.0, only in the other one
    ]
    markdown, data = research.against(rows[4:], 60)
    assert "Nothing by the one-core table" in markdown
    (with_proof, without) = data["summary"][::2]
    assert with_proof["matrices"] == 2 and with_proof["below"] == 0
    assert with_proof["mean"] == pytest.approx((4.49 * 1.02) ** 0.5)
    assert without["mean"] == pytest.approx(2 * with_proof["mean"])

    found = {r["matrix"]: r for r in research.against(rows, 60)[1]["rows"]}
    harsher = {m: r["ratios"]["btfperm"]["harsher"] for m, r in found.items()}
    assert harsher["delaunay_n18"] == pytest.approx(4.49)
    assert harsher["bandtri_2e5"] == pytest.approx(0.316)
    assert harsher["er_3e5_d2.0"] == pytest.approx(1.0)
    last = [found[m] for m in ("delaunay_n18", "bandtri_2e5", "er_3e5_d2.0")]
    line = next(s for s in research.summary_of(last) if s["estimate"] == "harsher")
    assert (line["method"], line["worst_matrix"], line["below"]) == ("btfperm", "bandtri_2e5", 1)
    assert line["mean"] == pytest.approx((4.49 * 0.316) ** (1 / 3))


def test_a_search_that_btfperm_did_not_finish_has_no_ratio():
    unfinished = row("delaunay_n18", SciPy=170)
    del unfinished["median"]["btfperm"], unfinished["median"]["no proof"]
    assert research.against([unfinished], 60) == ("", {})


def test_real_matrices_by_size():
    large, small = "real, 200,000 entries and more", "real, smaller"
    rows = [
        row("a", 1, large, SciPy=2.0, BTF=9, igraph=0.1),
        row("b", 1, large, CXSparse=4.5),
        row("a_rcp", 1, large, SciPy=100),  # the survey has these in their original order
        row("c", 10, small, overran=["SciPy"]),  # stopped: the limit is a lower bound
    ]
    found = {(r["class"], r["method"]): r for r in research.real_gains(rows, 0.05)}
    assert found[large, "btfperm"]["over_packaged"] == pytest.approx(3.0)
    assert found[large, "btfperm"]["over_research"] == pytest.approx(1.8)
    assert found[large, "no proof"]["over_research"] == pytest.approx(3.6)
    assert found[large, "btfperm"]["matrices"] == 2
    assert found[small, "btfperm"]["over_research"] == pytest.approx(5 * 1.04 / 1.25)


def test_the_section_matching_holds_it_if_a_survey_has_a_matrix(monkeypatch):
    options = Options("field", Path(), 1, 1.0, ["auto"], None, print)

    def section_of(rows):
        section = Section("Maximum transversal", "the table", {"rows": rows})
        monkeypatch.setattr(matching, "contest", lambda *_: section)
        return matching.run([Case("x", "er", lambda: None)], options)

    known = section_of([row("delaunay_n18", 10, SciPy=170)])
    assert known.markdown.startswith("the table\n\n### Against the best research code")
    assert known.data["research"]["rows"][0]["matrix"] == "delaunay_n18"
    assert json.dumps(known.data)
    unknown = section_of([row("er_7_d1", SciPy=1)])
    assert unknown.markdown == "the table" and "research" not in unknown.data


@pytest.mark.parametrize(
    "path", sorted(RESULTS.glob("*-matching-field.json")), ids=lambda p: p.stem
)
def test_a_stored_result_is_compared_again(path, capsys):
    assert research.main([str(path)]) == 0
    text = capsys.readouterr().out
    widths = {line.count("|") for line in text.splitlines() if line.startswith("| `")}
    assert len(widths) == 1
    for matrix in research.FIELD:
        assert (f"| `{matrix}` |" in text) == (matrix in names("default", "field"))


def test_results_of_one_machine_are_taken_together(tmp_path, capsys):
    paths = [tmp_path / "field.json", tmp_path / "large.json"]
    for path, rows in zip(paths, (anchors(2.0), [row("kron_s18", 20)]), strict=True):
        result = {"options": {"limit_seconds": 4}, "sections": {"matching": {"rows": rows}}}
        path.write_text(json.dumps(result))
    assert research.main([str(paths[1])]) == 0
    assert "know none" in capsys.readouterr().out
    assert research.main([str(path) for path in paths]) == 0
    (line,) = (s for s in capsys.readouterr().out.splitlines() if s.startswith("| `kron_s18`"))
    assert "| cheap-HK | 282 | 14.1 | 14.1 | 28.2 |" in line


def test_a_file_that_is_no_result_gives_one_sentence(tmp_path, capsys):
    other = tmp_path / "other.json"
    other.write_text('{"sections": {"regret": {}}}')
    for path in (other, tmp_path / "missing.json"):
        with pytest.raises(SystemExit) as stop:
            research.main([str(path)])
        assert stop.value.code == 2
        assert "holds no result of the section matching" in capsys.readouterr().err
