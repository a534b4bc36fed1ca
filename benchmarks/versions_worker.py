# SPDX-License-Identifier: BSD-3-Clause
"""Times the calls of one installed version: a line of JSON in, a line of JSON out.

`versions.py` starts this script with the Python of each version, isolated from the checkout. The
script calls only functions that both versions have.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import btfperm
from btfperm.pattern import as_pattern


def _matrix(file: str, on_gpu: bool) -> Any:
    with np.load(file) as arrays:
        indptr, indices, shape = arrays["indptr"], arrays["indices"], tuple(arrays["shape"])
    if on_gpu:
        import cupy

        indptr, indices = cupy.asarray(indptr), cupy.asarray(indices)
    return as_pattern((None, indices, indptr), shape=tuple(int(k) for k in shape))


def _call(what: str, A: Any, options: dict[str, Any]) -> Callable[[], int]:
    if what == "matching":
        return lambda: btfperm.maximum_transversal(A, **options).structural_rank
    return lambda: len(btfperm.dulmage_mendelsohn(A, **options).row_blocks) - 1


def _wait(on_gpu: bool) -> None:
    if on_gpu:
        import cupy

        cupy.cuda.Device().synchronize()


def _main() -> None:
    warnings.simplefilter("ignore")
    inner, on_gpu, now = 1, False, time.perf_counter
    call: Callable[[], int] = int
    for line in sys.stdin:
        asked = json.loads(line)
        if "file" in asked:
            on_gpu = asked["options"].get("backend") == "gpu"
            now = time.thread_time if asked["busy"] else time.perf_counter
            call = _call(asked["what"], _matrix(asked["file"], on_gpu), asked["options"])
            call()  # the first call loads modules and compiles kernels
            begin = time.perf_counter()
            call()
            inner = max(1, min(1000, round(1e-3 / max(time.perf_counter() - begin, 1e-9))))
        _wait(on_gpu)
        begin = now()
        answers = [call() for _ in range(inner)]
        _wait(on_gpu)
        seconds = (now() - begin) / inner
        print(json.dumps({"seconds": seconds, "answer": statistics.mode(answers)}), flush=True)


if __name__ == "__main__":
    _main()
