# SPDX-License-Identifier: BSD-3-Clause
"""What the registry says exists: the sets every test of this room loops over."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.pattern import Pattern, as_pattern

ROWS = [row for row in btfperm.algorithms() if row.backend == "cpu"]
INITIALIZERS = ["none", *(row.name for row in ROWS if row.is_initializer)]
ALGORITHMS = [row.name for row in ROWS if row.package == "transversal" and not row.is_initializer]
# These flip paths: what is matched stays matched. Others may exchange it, and only never lose any.
AUGMENTING = [row.name for row in ROWS if row.family == "augmenting"]

each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)
each_initializer = pytest.mark.parametrize("initializer", INITIALIZERS)


def each_pair(test):
    """Every initialiser before every algorithm."""
    return each_initializer(each_algorithm(test))


@contextmanager
def noted(**parameters):
    """Adds the parameters of one pass of a loop to the message of its failure. A loop inside a test
    is for parameters with many values and short runs, where setting up each test costs more."""
    try:
        yield
    except BaseException as error:
        error.add_note(", ".join(f"{name}={value!r}" for name, value in parameters.items()))
        raise


def in_64_bits(A):
    """The pattern of `A` with 64-bit arrays, as if it were too large for 32."""
    P = as_pattern(A)
    return Pattern(P.shape, P.indptr.astype(np.int64), P.indices.astype(np.int64))


def on_device(A, how):
    """The same matrix on the GPU, in one of CuPy's forms, and the shape where it needs one."""
    import cupy
    import cupyx.scipy.sparse as cs

    if how == "triple":
        C = btfperm.as_pattern(A)
        return (None, cupy.asarray(C.indices), cupy.asarray(C.indptr)), {"shape": A.shape}
    if how == "dense":
        return cupy.asarray(A.toarray()), {}
    return getattr(cs, f"{how}_matrix")(getattr(sp, f"{how}_matrix")(A)), {}
