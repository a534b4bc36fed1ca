# SPDX-License-Identifier: BSD-3-Clause
"""The algorithms of the registry for the CPU, as parameters of the tests in this folder, and
forms of a matrix."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.pattern import Pattern, as_pattern

ROWS = [row for row in btfperm.algorithms(package="transversal") if row.backend == "cpu"]
INITIALIZERS = ["none", *(row.name for row in ROWS if row.is_initializer)]
ALGORITHMS = [row.name for row in ROWS if row.package == "transversal" and not row.is_initializer]
# These augment along paths, so a matched column stays matched. Other algorithms may exchange
# matched columns, but never match fewer.
AUGMENTING = [row.name for row in ROWS if row.family == "augmenting"]

each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)
each_initializer = pytest.mark.parametrize("initializer", INITIALIZERS)


def each_pair(test):
    """Runs the test with each initializer before each algorithm."""
    return each_initializer(each_algorithm(test))


@contextmanager
def noted(**parameters):
    """Adds the parameters of one pass of a loop to the message of its failure. A loop inside a test
    is for parameters with many values and short runs, where setting up a test for each value
    costs more than the run."""
    try:
        yield
    except BaseException as error:
        error.add_note(", ".join(f"{name}={value!r}" for name, value in parameters.items()))
        raise


def in_64_bits(A):
    """The pattern of `A` with 64-bit indices, which btfperm otherwise uses for large matrices."""
    P = as_pattern(A)
    return Pattern(P.shape, P.indptr.astype(np.int64), P.indices.astype(np.int64))


def on_device(A, how):
    """`A` on the GPU in the form `how`, and the argument `shape` if this form needs it."""
    import cupy
    import cupyx.scipy.sparse as cs

    if how == "triple":
        C = btfperm.as_pattern(A)
        return (None, cupy.asarray(C.indices), cupy.asarray(C.indptr)), {"shape": A.shape}
    if how == "dense":
        return cupy.asarray(A.toarray()), {}
    return getattr(cs, f"{how}_matrix")(getattr(sp, f"{how}_matrix")(A)), {}
