# SPDX-License-Identifier: BSD-3-Clause
"""Functions on several threads of Python."""

from __future__ import annotations

import threading

import pytest

from btfperm.backends import threads


def test_on_several_threads_and_in_order():
    both = threading.Barrier(2, timeout=60)

    def met(item):
        both.wait()
        return item, threading.get_ident()

    found = threads.in_threads(met, [3, 4], 2)
    assert [item for item, _ in found] == [3, 4] and found[0][1] != found[1][1]


@pytest.mark.parametrize("count", [0, 1, 5])
def test_one_thread_is_the_calling_one(count):
    found = threads.in_threads(lambda _: threading.get_ident(), range(count), 1)
    assert found == [threading.get_ident()] * count


def test_a_refused_thread_and_an_error(monkeypatch):
    def refused(*_):
        raise RuntimeError("can't start new thread")

    def broken(_):
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        threads.in_threads(broken, [1, 2], 2)
    monkeypatch.setattr(threading.Thread, "start", refused)
    assert threads.in_threads(abs, [-1, -2], 2) == [1, 2]
