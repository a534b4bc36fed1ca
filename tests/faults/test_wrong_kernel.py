# SPDX-License-Identifier: BSD-3-Clause
"""A wrong kernel is caught by the certificate and reported, and another algorithm replaces it. The
caller gets a right result with a warning, never a wrong one, or an error if the second algorithm is
wrong, too. The tests replace each search and each initializer of the core by several faulty
versions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import btfperm
from btfperm import _core, registry
from btfperm.errors import CheckFailedError, DefectError, DefectWarning
from btfperm.pattern import as_pattern
from tests.checks.check_transversal import check_transversal
from tests.known_answers import known_answers, read
from tests.loops import looped
from tests.transversal.methods import ALGORITHMS, INITIALIZERS, ROWS

RANKS = {known.name: known.structural_rank for known in known_answers()}


def does_nothing(_A, _row_match, _col_match):
    pass


def forgets_a_pair(_A, row_match, col_match):
    j = np.flatnonzero(col_match >= 0)[-1]
    row_match[col_match[j]] = -1
    col_match[j] = -1


def forgets_everything(_A, row_match, col_match):
    row_match[:], col_match[:] = -1, -1


def invents_an_entry(A, row_match, col_match):
    """Matches a column, matched before or not, to a row in which it has no entry. Both arrays
    agree."""
    for j in range(A.n):
        absent = np.setdiff1d(np.arange(A.m), A.indices[A.indptr[j] : A.indptr[j + 1]])
        if absent.size:
            i = absent[0]
            if row_match[i] >= 0:
                col_match[row_match[i]] = -1
            if col_match[j] >= 0:
                row_match[col_match[j]] = -1
            row_match[i], col_match[j] = j, i
            return


def matches_a_row_twice(A, _row_match, col_match):
    j = int(np.argmax(np.diff(A.indptr)))
    i = A.indices[A.indptr[j]]
    for k in range(A.n):
        if i in A.indices[A.indptr[k] : A.indptr[k + 1]]:
            col_match[k] = i


def writes_rows_only(_A, row_match, _col_match):
    row_match[0] = 0 if row_match[0] != 0 else -1


def writes_columns_only(_A, _row_match, col_match):
    col_match[0] = -1 if col_match[0] >= 0 else 0


def writes_beyond_the_rows(A, _row_match, col_match):
    col_match[0] = A.m


def writes_beyond_the_columns(A, row_match, _col_match):
    row_match[0] = A.n


def writes_rubbish(_A, row_match, col_match):
    row_match[:], col_match[:] = 2**31 - 1, -(2**31)


LIES = [
    does_nothing,
    forgets_a_pair,
    forgets_everything,
    invents_an_entry,
    matches_a_row_twice,
    writes_rows_only,
    writes_columns_only,
    writes_beyond_the_rows,
    writes_beyond_the_columns,
    writes_rubbish,
]
# A search trusts its start to hold valid indices, as all matchings from the public API do.
OUT_OF_BOUNDS = (writes_beyond_the_rows, writes_beyond_the_columns, writes_rubbish)
LIES_WITHIN_BOUNDS = [lie for lie in LIES if lie not in OUT_OF_BOUNDS]
SECOND = "hopcroft-karp"  # replaces a faulty algorithm
STOPPED = {0: "reports the end", 3: "reports a limit"}


def replace(monkeypatch, name, lie, *, stop=0):
    """Replaces the core's function `name` by one that does its work and then applies `lie`. It
    claims the proof of its honest result. `does_nothing` works on copies, so its proof does not
    belong to the arrays that it returns."""
    honest = getattr(_core.transversal, name)

    def lying(m, indptr, indices, row_match, col_match, *rest):
        copies = lie is does_nothing
        _, *claims = honest(
            m,
            indptr,
            indices,
            row_match.copy() if copies else row_match,
            col_match.copy() if copies else col_match,
            *rest,
        )
        view = as_pattern((None, indices, indptr), shape=(m, indptr.size - 1))
        lie(view, row_match, col_match)
        return stop, *claims

    monkeypatch.setattr(_core.transversal, name, lying)


def assert_not_fooled(P, rank, *, second_is_honest, **options):
    """Checks for a right result, or for an error if the second algorithm lies as well. Returns the
    transversal."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            t = btfperm.maximum_transversal(P, **options)
        except DefectError as error:
            assert not second_is_honest, "the second algorithm could have answered"
            assert len(str(error)) > 30 and error.exit_code == 70
            return None
    check_transversal(P.to_scipy(), t, rank=rank)
    warned = [w for w in caught if issubclass(w.category, DefectWarning)]
    assert len(warned) <= 1
    if any(key.startswith("second_") for key in t.counters):
        assert warned, "a second algorithm ran without a warning"
    for w in warned:
        assert "report" in str(w.message) and options["algorithm"] in str(w.message)
        assert t.algorithm == SECOND and "went wrong" in t.choice
        assert w.filename == __file__
    return t


@looped("lie", LIES)
@looped("stop", STOPPED, ids=STOPPED.get)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_algorithm(monkeypatch, algorithm, lie, stop):
    # A square, a tall and a wide matrix in turn: each algorithm and each lie gets all three.
    turn = ALGORITHMS.index(algorithm) + LIES.index(lie) + stop
    name = ["GlossGT", "rel4", "lpi_galenet"][turn % 3]
    P = as_pattern(read(name))
    replace(monkeypatch, registry.find(algorithm, initializer=False).stem, lie, stop=stop)
    limits = {"max_work": 10**9} if stop else {}
    t = assert_not_fooled(
        P,
        RANKS[name],
        second_is_honest=algorithm != SECOND,
        algorithm=algorithm,
        initializer="none",
        **limits,
    )
    if algorithm != SECOND and not stop:  # the second algorithm must give the whole result
        assert t.maximum and t.structural_rank == RANKS[name]


@looped("lie", LIES_WITHIN_BOUNDS)
@pytest.mark.parametrize("initializer", [name for name in INITIALIZERS if name != "none"])
@looped("name", ["west0067", "GlossGT", "lpi_galenet"])
def test_initializer(monkeypatch, name, initializer, lie):
    P = as_pattern(read(name))
    replace(monkeypatch, registry.find(initializer, initializer=True).stem, lie)
    assert_not_fooled(
        P, RANKS[name], second_is_honest=True, initializer=initializer, algorithm=SECOND
    )


def test_no_algorithm_that_stops_early_passes_for_maximum(monkeypatch):
    P = as_pattern(read("bp_1200"))
    for row in ROWS:
        monkeypatch.setattr(_core.transversal, row.stem, lambda *_: (0, False, {}))
    for function in (btfperm.maximum_transversal, btfperm.dulmage_mendelsohn):
        with (
            pytest.warns(DefectWarning, match="went wrong, hopcroft-karp finished"),
            pytest.raises(DefectError, match="not maximum"),
        ):
            function(P)


def test_a_defect_is_no_failed_check():
    """Exit code 1 means that the user's matrix failed a check. A defect must not look like that to
    a script."""
    assert not issubclass(DefectError, CheckFailedError)
    assert (DefectError.exit_code, CheckFailedError.exit_code) == (70, 1)


@pytest.mark.parametrize("name", ["Erdos971", "lpA_25fv47", "cat_ears_3_1"])  # square, wide, tall
def test_the_second_algorithm_continues_from_a_legal_matching(monkeypatch, name):
    """One matched entry is missing, so one path is enough. The second algorithm does not continue
    from an illegal matching."""
    P = as_pattern(read(name))
    for lie, paths in ((forgets_a_pair, 1), (invents_an_entry, RANKS[name])):
        with monkeypatch.context() as patch:
            replace(patch, "ss_bfs", lie)
            with pytest.warns(DefectWarning, match="ss-bfs went wrong"):
                t = btfperm.maximum_transversal(P, algorithm="ss-bfs", initializer="none")
        assert t.structural_rank == RANKS[name]
        assert t.counters["second_augmentations"] == paths


def test_no_warning_without_a_defect():
    with warnings.catch_warnings():
        warnings.simplefilter("error", DefectWarning)
        for algorithm in ALGORITHMS:
            btfperm.maximum_transversal(read("bp_1200"), algorithm=algorithm)


@pytest.mark.parametrize("function", [btfperm.dulmage_mendelsohn, btfperm.block_triangular_form])
def test_a_decomposition_that_goes_wrong_is_a_defect(monkeypatch, function):
    def fails(*_, **__):
        raise ValueError("the matching is not maximum")

    monkeypatch.setattr(_core.dulmage_mendelsohn, "decompose", fails)
    with pytest.raises(DefectError, match=r"not maximum.*report"):
        function(read("GlossGT"))


def drops_a_row(marks):
    marks[np.flatnonzero(marks)[0]] = 0


def adds_a_row(marks):
    marks[np.flatnonzero(marks == 0)[0]] = 1


def swaps_two_rows(marks):
    here, there = np.flatnonzero(marks)[0], np.flatnonzero(marks == 0)[0]
    marks[here], marks[there] = 0, 1


def takes_no_row(marks):
    marks[:] = 0


def takes_all_rows(marks):
    marks[:] = 1


@looped("lie", [drops_a_row, adds_a_row, swaps_two_rows, takes_no_row, takes_all_rows])
@pytest.mark.parametrize("faulty", ["find_cover", *ALGORITHMS])
@looped("matched", ["all", "but one"])
def test_a_wrong_proof_is_caught(monkeypatch, faulty, lie, matched):
    """Wrong rows of the cover, with the claim that they are right."""
    name = "Erdos971"
    P = as_pattern(read(name))
    cover = btfperm.maximum_transversal(P).cover()
    assert cover.rows.size and cover.cols.size, "nothing to lie about"
    algorithm = "hopcroft-karp" if faulty == "find_cover" else faulty
    run = getattr(_core.transversal, registry.find(algorithm, initializer=False).stem)
    find_cover = _core.transversal.find_cover

    def lying_algorithm(m, indptr, indices, row_match, col_match, row_in_cover, *limits):
        _, _, counters = run(m, indptr, indices, row_match, col_match, row_in_cover, *limits)
        if matched == "but one":
            forgets_a_pair(P, row_match, col_match)
        if faulty == "find_cover":
            return 0, False, counters
        find_cover(m, indptr, indices, row_match, col_match, row_in_cover)
        lie(row_in_cover)
        return 0, True, counters

    def lying_cover(*arguments, **options):
        find_cover(*arguments, **options)
        lie(arguments[-1])
        return True

    monkeypatch.setattr(_core.transversal, run.__name__, lying_algorithm)
    if faulty == "find_cover":  # else the second algorithm needs the right one
        monkeypatch.setattr(_core.transversal, "find_cover", lying_cover)
    t = assert_not_fooled(
        P,
        RANKS[name],
        second_is_honest=algorithm != SECOND,
        algorithm=algorithm,
        initializer="none",
    )
    if algorithm == SECOND and matched == "all":  # only the proof was wrong
        assert t is None, "no error was raised"
    elif algorithm != SECOND:
        assert t.maximum and t.algorithm == SECOND


def test_a_cover_that_is_not_found_is_no_proof(monkeypatch):
    monkeypatch.setattr(_core.transversal, "find_cover", lambda *_, **__: False)
    for row in (row for row in ROWS if row.family == "augmenting"):
        run = getattr(_core.transversal, row.stem)
        monkeypatch.setattr(_core.transversal, row.stem, lambda *a, run=run: (0, False, run(*a)[2]))
    with pytest.raises(DefectError, match="not maximum"):
        btfperm.maximum_transversal(
            as_pattern(read("Erdos971")), algorithm="hopcroft-karp", initializer="none"
        )
