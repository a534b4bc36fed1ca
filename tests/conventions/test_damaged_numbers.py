# SPDX-License-Identifier: BSD-3-Clause
"""`check` of a file of each convention in which one number is changed, or an array has another
length or type: the damage is reported by a sentence."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from btfperm.conventions.rows import conventions
from tests.cli.conftest import cli
from tests.uneven import three_blocks, uneven

__all__ = ["cli"]

RECTANGULAR = ("btfperm", "matlab", "csparse", "casadi", "scipy")


def saved(folder, name) -> tuple[str, dict[str, np.ndarray]]:
    """The matrix and the arrays of its file."""
    A = uneven() if name in RECTANGULAR else three_blocks()[[3, 0, 4, 2, 1]]
    matrix, file = folder / "A.mtx", folder / "perm.npz"
    btfperm.write_matrix(matrix, A)
    btfperm.dulmage_mendelsohn(A).save(file, convention=name)
    with np.load(file) as held:
        return matrix, dict(held)


def lists_of(arrays) -> list[str]:
    return [key for key, array in arrays.items() if array.dtype.kind in "iu" and key != "shape"]


@pytest.mark.parametrize("name", conventions)
def test_one_wrong_number(cli, tmp_path, name):
    """Numbers at the ends and in the middle, replaced by numbers outside the matrix."""
    matrix, arrays = saved(tmp_path, name)
    assert cli("check", matrix, tmp_path / "perm.npz").code == 0
    file = tmp_path / "wrong.npz"
    base = conventions[name].base
    for key in lists_of(arrays):
        array = arrays[key]
        wrong = ((0, array.size + base), (-1, base - 2), (array.size // 2, 2**62), (-1, 99))
        for place, value in wrong:
            changed = np.array(array)
            changed.reshape(-1)[place] = value
            np.savez(file, **{**arrays, key: changed})
            ended = cli("check", matrix, file)
            assert ended.code in (1, 3), (key, place, value, ended)
            assert ended.out.count("\n") + ended.err.count("\n") <= 12


@pytest.mark.parametrize("name", conventions)
def test_arrays_of_other_lengths_and_types(cli, tmp_path, name):
    matrix, arrays = saved(tmp_path, name)
    file = tmp_path / "wrong.npz"
    for key in lists_of(arrays):
        array = arrays[key]
        if array.ndim == 0 or array.size == 1:
            continue
        for changed in (array[:-1], np.append(array, array[-1]), array + 0.5):
            np.savez(file, **{**arrays, key: changed})
            ended = cli("check", matrix, file)
            assert ended.code in (1, 3), (key, changed, ended)


OPTIONAL = {
    "csparse": {"nb"},
    "btf": {"R", "nblocks", "nmatch", "Match"},
    "klu": {"R"},
    "scipy": {"structural_rank"},
}


@pytest.mark.parametrize("name", conventions)
def test_a_missing_array_is_named(cli, tmp_path, name):
    """`check` names the array that is missing. The arrays in OPTIONAL may be missing, because they
    follow from the others or the solver does not need them."""
    matrix, arrays = saved(tmp_path, name)
    file = tmp_path / "wrong.npz"
    for key in lists_of(arrays):
        np.savez(file, **{other: arrays[other] for other in arrays if other != key})
        ended = cli("check", matrix, file)
        if key in OPTIONAL.get(name, ()):
            assert ended.code == 0
        else:
            shown = "P[Qinit]" if (name, key) == ("umfpack", "P") else key
            named = f"arrays: {shown} is missing\n" in ended.out and ended.code == 1
            assert named or (f"it holds no {key}, which" in ended.err and ended.code == 3)


@pytest.mark.parametrize("name", conventions)
def test_another_integer_type(cli, tmp_path, name):
    matrix, arrays = saved(tmp_path, name)
    file = tmp_path / "other.npz"
    for key in lists_of(arrays):
        if arrays[key].min() >= 0:
            arrays[key] = arrays[key].astype(">u2")
    np.savez(file, **arrays)
    assert cli("check", matrix, file).code == 0
