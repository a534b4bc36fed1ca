# SPDX-License-Identifier: BSD-3-Clause
"""`perm.mat`: for MATLAB and Octave, by default as ``[p,q,r,s,cc,rr] = dmperm(A)`` gives them.

Numbers are doubles in row vectors, as MATLAB's own; `convention` and `meta` (JSON, for
``jsondecode``) are strings.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from btfperm.errors import InvalidArgumentError

__all__ = ["write"]


def write(file: BinaryIO, fields: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    import scipy.io
    from scipy.io.matlab import MatWriteError

    # The writer goes back to fill in lengths, which a pipe cannot.
    target = file if file.seekable() else io.BytesIO()
    texts = {"convention": meta["convention"], "meta": json.dumps(meta)}
    try:
        for name, array in fields.items():  # only one array at a time is converted to doubles
            doubles = np.asarray(array, dtype=np.float64)
            scipy.io.savemat(target, {name: doubles}, oned_as="row")
        scipy.io.savemat(target, texts)
    except MatWriteError as error:
        raise InvalidArgumentError(
            f"a MATLAB 5 file cannot hold it ({error}): write .npz instead"
        ) from None
    if isinstance(target, io.BytesIO):
        file.write(target.getvalue())
