# SPDX-License-Identifier: BSD-3-Clause
"""The ring of pinned buffers, with a device that is planted."""

from __future__ import annotations

import sys
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from btfperm.backends.gpu import staging


def test_a_copy_that_fails_leaves_no_thread_writing_into_the_ring(monkeypatch):
    submitted, waited = [], []

    class Threads(ThreadPoolExecutor):
        def submit(self, *call):
            submitted.append(super().submit(*call))
            return submitted[-1]

    def fail(*_):
        raise KeyboardInterrupt

    stream = types.SimpleNamespace(ptr=0, synchronize=lambda: waited.append("stream"))
    cuda = types.SimpleNamespace(
        runtime=types.SimpleNamespace(memcpyAsync=fail, memcpyHostToDevice=1),
        get_current_stream=lambda: stream,
        Event=lambda **_: None,
    )
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(cuda=cuda))
    ring = staging.Ring()
    ring._buffers = [np.empty(staging._BUFFER_BYTES, np.uint8) for _ in range(staging._BUFFERS)]
    with Threads(1) as ring._threads:
        with pytest.raises(KeyboardInterrupt):
            ring._copy(np.zeros(10 * staging._BUFFER_BYTES, np.uint8), 0)
        done = [future.done() for future in submitted]
    assert len(done) == staging._BUFFERS and all(done) and waited == ["stream"]
