# SPDX-License-Identifier: BSD-3-Clause
"""The section about parameters and transfers, and the statements that it answers."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from benchmarks.papers import choices, claims_choices
from benchmarks.report import Options

OPTIONS = Options("tiny", Path(), 1, 5.0, ["auto"], None, lambda _: None)


def test_a_run_has_a_time_for_each_value(tmp_path):
    cases = [case for case in choices.cases("tiny", Path()) if case.name in ("k del:7", "opf_300")]
    found = choices.run(cases, dataclasses.replace(OPTIONS, store=tmp_path / "s"))
    by_kind = {row["kind"]: row for row in found.data["rows"]}
    for kind, sweep in choices.SWEEPS.items():
        values = {f"{value:g}" for value in sweep.values}
        assert by_kind[kind]["median"].keys() == by_kind[kind]["edges"].keys() == values
        assert set(choices.means(found.data["rows"], kind)) == values
    assert "| `k del:7` |" in found.markdown and found.data["left_out"] == []
    assert "gpu" not in found.data
    none = choices.run(cases, dataclasses.replace(OPTIONS, within=0.0))
    assert none.data["left_out"] == ["k del:7", "opf_300"]


@pytest.mark.gpu
def test_transfers_are_measured_on_a_gpu():
    cases = [case for case in choices.cases("tiny", Path()) if case.kind == choices.TRANSFER]
    found = choices.run(cases, OPTIONS)
    assert len(choices.shares(found.data["rows"])) == 2 * len(cases)
    assert found.data["gpu"]


def data(**times):
    """A result with one graph for k, and one on which a value was stopped."""
    row = {"matrix": "k a", "kind": "k", "nnz": 9, "median": {"0.25": 2.0, "1": 3.0, "2": 4.0}}
    row["median"] |= {"0.5": 1.0, **times}
    stopped = {**row, "matrix": "k b", "median": {"1": 0.1}}
    transfer = {"matrix": "transfer c", "kind": "transfer", "nnz": 9}
    transfer["median"] = {"transfer, random": 1.0, "random": 1.0}
    transfer["median"] |= {"transfer, weighted": 1.0, "weighted": 3.0}
    return {"threads": 2, "limit": 5.0, "rows": [row, stopped, transfer]}


def test_the_paper_s_value_must_be_the_best():
    item = claims_choices.of_k(data())
    (claim,) = item.claims
    assert claim.held == 1 and "stopped on `k b`" in item.why
    assert claim.ours == "2.000 with 0.25, 1.000 with 0.5, 3.000 with 1, 4.000 with 2; 1 graphs"
    (claim,) = claims_choices.of_k(data(**{"1": 0.9})).claims
    assert claim.held == 0
    assert claims_choices.of_alpha(data()).claims[0].held is None
    assert claims_choices.of_k(None).claims[0].held is None


def test_the_mean_share_of_transfers():
    claim = claims_choices.of_transfer(data())
    assert claim.held == 1 and claim.ours == "38 % (25 to 50 %)"
    assert claims_choices.of_transfer(None).held is None
    assert "| `k b` | 9 | > | 100 | > | > |" in choices.markdown(data())


def test_results_on_different_graphs_are_joined():
    whole = data()
    parts = [{**whole, "rows": whole["rows"][:1]}, {**whole, "gpu": "a", "rows": whole["rows"][1:]}]
    found = choices.joined("tiny", parts)
    assert found.data["rows"] == whole["rows"] and found.data["gpu"] == "a"
    assert "opf_300" in found.data["left_out"]
    for wrong in (whole, {**parts[1], "limit": 1.0}):
        with pytest.raises(ValueError):
            choices.joined("tiny", [parts[0], wrong])
