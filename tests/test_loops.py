# SPDX-License-Identifier: BSD-3-Clause
"""A loop runs every case, and its failure names the case."""

from __future__ import annotations

import inspect

import pytest

from tests.loops import looped


def run(body, names, values, ids=None, **fixtures):
    looped(names, values, ids)(body)(**fixtures)


def test_every_case_runs_and_only_fixtures_are_requested(tmp_path, monkeypatch):
    seen = []

    def body(tmp_path, monkeypatch, m, n):
        monkeypatch.setenv("BTFPERM_LOOPED", str(m))
        (tmp_path / "file").touch(exist_ok=False)
        seen.append((m, n))

    test = looped(("m", "n"), [(1, 2), pytest.param(3, 4, id="last")])(body)
    assert list(inspect.signature(test).parameters) == ["tmp_path", "monkeypatch"]
    test(tmp_path=tmp_path, monkeypatch=monkeypatch)
    assert seen == [(1, 2), (3, 4)]


def test_loops_can_be_stacked():
    seen = []
    inner = looped("m", [1, 2])(lambda m, n: seen.append((m, n)))
    looped("n", "ab")(inner)()
    assert seen == [(1, "a"), (2, "a"), (1, "b"), (2, "b")]


@pytest.mark.parametrize(
    ("values", "ids", "note"),
    [
        ([1, 0], None, "in the case n=0"),
        ([1, 0], lambda n: f"<{n}>", "in the case <0>"),
        ([1, 0], ["one", "zero"], "in the case zero"),
        ([pytest.param(0, id="nothing")], None, "in the case nothing"),
    ],
)
def test_a_failure_names_its_case(values, ids, note):
    with pytest.raises(ZeroDivisionError) as caught:
        run(lambda n: 1 / n, "n", values, ids)
    assert caught.value.__notes__ == [note]


def test_a_case_may_be_skipped():
    seen = []

    def body(n):
        if n < 2:
            pytest.skip("small")
        seen.append(n)

    run(body, "n", [1, 2, 3])
    assert seen == [2, 3]
    with pytest.raises(pytest.skip.Exception, match="small"):
        run(body, "n", [0, 1])


def test_changes_are_undone_between_cases(monkeypatch):
    class Holder:
        value = 0

    def body(monkeypatch, n):
        assert Holder.value == 0
        monkeypatch.setattr(Holder, "value", n)

    run(body, "n", [1, 2], monkeypatch=monkeypatch)
    assert Holder.value == 0
