# SPDX-License-Identifier: BSD-3-Clause
"""Turns, limits and failures of the timing loop; no method may hang or disturb the others."""

from __future__ import annotations

import math
import os
import signal
import time
from types import SimpleNamespace

import pytest

from benchmarks import timing
from benchmarks.timing import Method, NotApplicableError, disagreements, race


def answers(rank):
    return lambda _: {"rank": rank}


def method(name, call, **options):
    return Method(name, lambda data: lambda: call(data), answers(1), **options)


def test_methods_take_turns(tmp_path):
    log = tmp_path / "log"

    def appends(letter):
        def call(_):
            with log.open("a") as file:
                file.write(letter)
            time.sleep(2e-3)  # so that no call is repeated within a sample

        return call

    outcomes = race(
        [method("a", appends("a")), method("b", appends("b"))], None, repeats=3, limit=10
    )
    assert log.read_text() == "ab" * 4  # a warm-up and three rounds
    assert [len(outcomes[name].seconds) for name in "ab"] == [3, 3]
    assert all(s > 1.5e-3 for s in outcomes["a"].seconds)


@pytest.fixture
def clock(monkeypatch):
    """A list with the time in seconds, which only the methods change: each runs in a fork."""
    now = [0.0]
    monkeypatch.setattr(
        timing, "time", SimpleNamespace(perf_counter=lambda: now[0], sleep=time.sleep)
    )
    return now


def test_short_calls_are_repeated_and_divided(clock):
    def call(_):
        clock[0] += 0.25 * timing.SAMPLE_SECONDS
        return clock[0]

    short = method("short", call, notes=lambda result: {"until": result})
    outcome = race([short], None, repeats=2, limit=60)["short"]
    assert outcome.seconds == pytest.approx([0.25 * timing.SAMPLE_SECONDS] * 2)
    # One call for the warm-up, and four for each sample.
    ends = [notes["until"] / timing.SAMPLE_SECONDS for notes in outcome.notes]
    assert ends == pytest.approx([1.25, 2.25])


def test_a_hanging_method_is_killed_and_the_others_continue():
    # Without the end of its process, the test would not end either.
    outcomes = race(
        [method("hangs", lambda _: signal.pause()), method("works", lambda _: None)],
        *(None,),
        repeats=2,
        limit=2,
    )
    assert outcomes["hangs"].overran and not outcomes["hangs"].seconds
    assert math.isnan(outcomes["hangs"].median)
    assert len(outcomes["works"].seconds) == 2


def test_a_method_without_time_for_a_second_call_counts_the_first(clock):
    def call(_):
        clock[0] += 30

    outcome = race([method("slow", call)], None, repeats=5, limit=50)["slow"]
    assert outcome.seconds == [30] and not outcome.overran


def test_failures_are_reported_and_do_not_spoil_the_others():
    def raises(_):
        raise ValueError("no such thing")

    def refuses(_):
        raise NotApplicableError("square only")

    def dies(_):
        os.kill(os.getpid(), signal.SIGKILL)

    calls = {"raises": raises, "refuses": refuses, "dies": dies, "works": lambda _: None}
    outcomes = race([method(n, c) for n, c in calls.items()], None, repeats=1, limit=5)
    assert outcomes["raises"].failed and "no such thing" in outcomes["raises"].reason
    assert not outcomes["refuses"].failed and outcomes["refuses"].reason == "square only"
    assert outcomes["dies"].failed and "-9" in outcomes["dies"].reason
    assert outcomes["works"].seconds and outcomes["works"].answer == {"rank": 1}


def test_absent_methods_do_not_run():
    assert race([method("absent", lambda _: None, absent="why")], None, repeats=1, limit=1) == {}


def test_a_method_chooses_its_time_and_keeps_notes():
    outcome = race(
        [
            method(
                "own clock",
                lambda data: data,
                counted=lambda result, seconds: result + 0 * seconds,
                notes=lambda result: {"edges": result * 2},
            )
        ],
        21.0,
        repeats=3,
        limit=10,
    )["own clock"]
    assert outcome.seconds == [21.0] * 3
    assert outcome.notes == [{"edges": 42.0}] * 3


def test_the_data_of_one_method_are_its_own():
    def spoil(data):
        data.append(1)
        return len(data)

    outcomes = race(
        [method("a", spoil, notes=lambda r: {"n": r}), method("b", len, notes=lambda r: {"n": r})],
        [],
        repeats=1,
        limit=5,
    )
    assert outcomes["b"].notes == [{"n": 0}]


@pytest.mark.parametrize(
    ("ranks", "expected", "complaints"),
    [((3, 3), None, 0), ((3, 2), None, 1), ((3, 3), {"rank": 3}, 0), ((3, 3), {"rank": 4}, 1)],
)
def test_answers_are_compared(ranks, expected, complaints):
    methods = [
        Method(f"returns {rank} ({k})", lambda _: lambda: None, answers(rank))
        for k, rank in enumerate(ranks)
    ]
    outcomes = race(methods, None, repeats=1, limit=5)
    found = disagreements(outcomes, expected)
    assert len(found) == complaints
    assert all(sentence.startswith("rank: ") for sentence in found)
