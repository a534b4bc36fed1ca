# SPDX-License-Identifier: BSD-3-Clause
"""Damaged files: a valid pattern, or one sentence, whatever byte was changed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.errors import ResourceMissingError, UnreadableInputError
from btfperm.io import load, matrix_market_body, peek, perm_json, read, save

HERE = Path(__file__).parent
A = scipy.sparse.csc_array(np.array([[1.0, 0, 2.5], [0, -3, 0], [4, 5, 0]]))
TEXT = (
    b"%%MatrixMarket matrix coordinate real symmetric\n% comment\n3 3 4\n"
    b"1 1 1.5\n2 1 -2e-3\n\n3 2 0\n3 3 7\n"
)


def in_memory(write, *args) -> bytes:
    file = io.BytesIO()
    write(file, *args)
    return file.getvalue()


SEEDS = {
    "symmetric.mtx": TEXT,
    "array.mtx": (HERE / "accepted" / "array.mtx").read_bytes(),
    "complex.mtx": (HERE / "accepted" / "complex.mtx").read_bytes(),
    "a.mtx.gz": gzip.compress(TEXT),
    "a.mtx.bz2": bz2.compress(TEXT),
    "a.mtx.xz": lzma.compress(TEXT),
    "real.rua": (HERE / "accepted" / "real.rua").read_bytes(),
    "symmetric.psa": (HERE / "accepted" / "symmetric.psa").read_bytes(),
    "csc.npz": in_memory(scipy.sparse.save_npz, A),
    "coo.npz": in_memory(scipy.sparse.save_npz, A.tocoo(), False),
    "a.mat": in_memory(scipy.io.savemat, {"A": A}),
}

mutations = st.lists(
    st.tuples(
        st.sampled_from(["replace", "insert", "delete", "cut", "repeat"]),
        st.floats(0, 1, exclude_max=True),
        st.one_of(
            st.binary(min_size=1, max_size=4),
            st.sampled_from([b"\0", b"\n", b" ", b"-", b"9" * 20, b"%", b"1e999", b"\r", b"nan"]),
        ),
    ),
    min_size=1,
    max_size=4,
)


def mutated(content: bytes, changes) -> bytes:
    for kind, where, piece in changes:
        at = int(where * len(content))
        before, after = content[:at], content[at:]
        content = {
            "replace": before + piece + after[len(piece) :],
            "insert": before + piece + after,
            "delete": before + after[len(piece) :],
            "cut": before,
            "repeat": before + after + after,
        }[kind]
    return content


@pytest.mark.parametrize("name", SEEDS)
@given(changes=mutations, block=st.sampled_from([None, 1, 16]))
def test_matrix_files(tmp_path, name, changes, block):
    file = tmp_path / name
    file.write_bytes(mutated(SEEDS[name], changes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrix_market_body, "BLOCK", block)
        try:
            header = peek(file)
            pattern = read(file)
        except (UnreadableInputError, ResourceMissingError) as error:
            assert str(error).startswith(str(file))
            assert "\n" not in str(error)
            return
    m, n = pattern.shape
    assert header.shape == (m, n)
    assert pattern.indptr.size == n + 1 and pattern.indptr[0] == 0
    assert pattern.indptr[-1] == pattern.nnz
    assert (np.diff(pattern.indptr) >= 0).all()
    if pattern.nnz:
        assert 0 <= pattern.indices.min() <= pattern.indices.max() < m
    keys = pattern.cols().astype(object) * max(m, 1) + pattern.indices
    assert (np.diff(keys) > 0).all()


@pytest.mark.parametrize("format", ["npz", "json", "txt"])
@given(changes=mutations, long=st.sampled_from([0, 1 << 10]))
def test_permutation_files(tmp_path, format, changes, long):
    result = btfperm.dulmage_mendelsohn(A)
    file = tmp_path / f"perm.{format}"
    save(result, file)
    file.write_bytes(mutated(file.read_bytes(), changes))
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(perm_json, "_LONG", long)
            again = load(file)
    except (UnreadableInputError, ResourceMissingError) as error:
        assert str(error).startswith(str(file))
        return
    m, n = again.shape
    assert sorted(again.row_perm) == list(range(m))
    assert sorted(again.col_perm) == list(range(n))
    assert np.count_nonzero(again.row_match >= 0) == again.structural_rank
