# SPDX-License-Identifier: BSD-3-Clause
"""The errors and warnings: their exit codes, the classes of Python that they are, and copies."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm import errors

# exit code, and the classes by which callers may catch it
ERRORS = {
    "BtfpermError": (4, {"Exception"}),
    "InvalidArgumentError": (2, {"BtfpermError", "ValueError"}),
    "UnreadableInputError": (3, {"BtfpermError", "ValueError"}),
    "InvalidMatrixError": (3, {"UnreadableInputError", "ValueError"}),
    "CheckFailedError": (1, {"BtfpermError"}),
    "DefectError": (70, {"BtfpermError", "RuntimeError"}),
    "StructurallySingularError": (1, {"CheckFailedError", "AssertionError"}),
    "BlockTooLargeError": (1, {"CheckFailedError", "AssertionError"}),
    "LimitReachedError": (1, {"BtfpermError"}),
    "NumericallySingularError": (1, {"CheckFailedError", "ArithmeticError"}),
    "BackendUnavailableError": (4, {"BtfpermError", "RuntimeError"}),
    "ResourceMissingError": (4, {"BtfpermError", "OSError"}),
}


@pytest.mark.parametrize("name", ERRORS)
def test_the_exit_code_and_the_classes(name):
    code, bases = ERRORS[name]
    class_ = getattr(btfperm, name)
    assert class_.exit_code == code
    assert bases <= {base.__name__ for base in class_.__mro__[1:]}
    assert ("CheckFailedError" in bases or name == "CheckFailedError") == issubclass(
        class_, errors.CheckFailedError
    )


def test_no_error_is_left_out():
    found = {
        name
        for name in errors.__all__
        if isinstance(getattr(errors, name), type)
        and issubclass(getattr(errors, name), errors.BtfpermError)
    }
    assert found == set(ERRORS)


@pytest.mark.parametrize("name", ERRORS)
def test_copies_have_the_text_and_the_facts(name):
    more = ((3, 7),) if name == "LimitReachedError" else ()
    error = getattr(btfperm, name)("a text about rows", *more)
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is type(error) and str(other) == str(error) == "a text about rows"
        assert getattr(other, "rank_bounds", None) == ((3, 7) if more else None)


def test_a_limit_names_the_bounds_of_the_rank():
    with pytest.raises(btfperm.LimitReachedError) as caught:
        btfperm.structural_rank(
            np.eye(200), initializer="none", algorithm="hopcroft-karp", max_work=1
        )
    lower, upper = caught.value.rank_bounds
    assert 0 <= lower < upper == 200


def test_the_warning_about_zeros_has_the_other_rank():
    A = sp.csc_array(np.eye(3))
    A.data[0] = 0
    with pytest.warns(btfperm.StoredZerosWarning) as caught:
        assert btfperm.structural_rank(A) == 3
    assert [warning.message.other_rank for warning in caught] == [2]
    assert str(pickle.loads(pickle.dumps(errors.StoredZerosWarning("x", 5)))) == "x"


@pytest.mark.parametrize("suffix", ["mtx", "npz", "mat", "rb"])
def test_names_stay_with_the_matrix(tmp_path, suffix):
    """A matrix keeps its name when it is read, permuted and decomposed, with values and without."""
    path = tmp_path / f"a.{suffix}"
    btfperm.write_matrix(path, np.array([[0.0, 2], [3, 4]]))
    P = btfperm.as_pattern(path)
    d = btfperm.dulmage_mendelsohn(P)
    V = btfperm.as_valued(path)
    for pattern in (P, d.pattern, d.apply(P), V.pattern, btfperm.read_valued(path).pattern):
        assert pattern.name == str(path), pattern
    for pattern in (P, V.pattern, btfperm.read_valued(path).pattern):
        assert pattern.source["file"] == path.name and len(pattern.source["sha256"]) == 64
