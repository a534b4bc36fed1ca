# SPDX-License-Identifier: BSD-3-Clause
"""The free memory of a GPU, with a simulated CuPy."""

from __future__ import annotations

import sys

import pytest

from btfperm.backends.gpu import device
from btfperm.errors import BackendUnavailableError


class Pool:
    """The memory pool of CuPy. One gigabyte of it is used, and one is kept for reuse."""

    limit = 0

    def free_bytes(self):
        return 10**9

    def used_bytes(self):
        return 10**9

    def get_limit(self):
        return self.limit


def test_too_little_memory_is_detected_before_the_allocation(monkeypatch):
    pool = Pool()

    class Cupy:
        get_default_memory_pool = staticmethod(lambda: pool)

        class cuda:  # noqa: N801
            class runtime:  # noqa: N801
                memGetInfo = staticmethod(lambda: (10**9, 10**10))  # noqa: N815

            class Device:
                id = 3

    monkeypatch.setitem(sys.modules, "cupy", Cupy)
    device.refuse_beyond_free(2 * 10**9, "a matrix")
    with pytest.raises(BackendUnavailableError, match=r"2\.5 GB .* device 3 has 2\.0 GB"):
        device.refuse_beyond_free(25 * 10**8, "a matrix")
    pool.limit = 25 * 10**8  # one gigabyte of it is used
    device.refuse_beyond_free(15 * 10**8, "a matrix")
    with pytest.raises(BackendUnavailableError, match=r"2\.0 GB .* device 3 has 1\.5 GB"):
        device.refuse_beyond_free(2 * 10**9, "a matrix")
    monkeypatch.delitem(sys.modules, "cupy")
    device.refuse_beyond_free(2**26 - 1, "a small matrix")  # does not query the device
