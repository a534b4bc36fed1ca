# SPDX-License-Identifier: BSD-3-Clause
"""The timing loop: methods take turns on one matrix, each in a process that can be killed.

Each method has a forked worker, which converts the matrix to the method's own format (not timed).
Whenever it is the turn of the method, the worker runs one call, or several if they are short. The
turns are A B C, A B C, ..., so that a slow minute of the machine affects all methods. The first
turn of each is a warm-up. A worker that does not answer within the limit is killed, and the others
continue. Between two turns there is a pause, because the threads of a call spin for a while in wait
of the next.
"""

from __future__ import annotations

import gc
import math
import multiprocessing
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.cases import Case
    from benchmarks.report import Options

Answer = dict[str, int]
Call = Callable[[], Any]
Notes = dict[str, float]

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
SAMPLE_SECONDS = 1e-3  # shorter calls are repeated, up to 1000 times, so that a sample takes this
PREPARE_SECONDS = 300.0
# GNU's OpenMP threads spin for 300,000 pauses while they wait for the next call, unless the
# environment forbids it. This pause is longer, because otherwise threads of the previous method
# still hold the cores.
PAUSE_SECONDS = 25e-3 if os.environ.get("OMP_WAIT_POLICY", "").lower() != "passive" else 0.0
_FAILED = "failed: "


class NotApplicableError(Exception):
    """A method has no answer for this matrix; the message is the reason."""


@dataclass(frozen=True)
class Method:
    """One competitor.

    `prepare` takes the case's data and returns the call to be timed; `answer` reads rank and blocks
    from what the call returned (not timed). `counted` takes what the call returned and its measured
    seconds, and returns how many of these count. `notes` takes what the call returned, and returns
    what the method itself measured and counted.
    `absent` is the reason why the method cannot run on this machine.
    """

    name: str
    prepare: Callable[[Any], Call]
    answer: Callable[[Any], Answer]
    absent: str | None = None
    counted: Callable[[Any, float], float] = lambda _, seconds: seconds
    notes: Callable[[Any], Notes] = lambda _: {}


@dataclass
class Outcome:
    """The result of one method on one matrix: seconds and notes of each timed turn, and why there
    are no more: a turn `overran` the limit, the method `failed`, or it does not accept such a
    matrix (only a reason).
    """

    seconds: list[float] = field(default_factory=list)
    notes: list[Notes] = field(default_factory=list)
    answer: Answer = field(default_factory=dict)
    reason: str | None = None
    failed: bool = False
    overran: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.seconds) if self.seconds else math.nan


class _Worker:
    """A method in its own process. `call` runs one turn."""

    def __init__(self, method: Method, data: Any) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, end = context.Pipe()
        self.process = context.Process(target=_work, args=(end, method, data), daemon=True)
        self.process.start()
        end.close()
        self.outcome = Outcome()
        self.spent = 0.0
        self._longest = 0.0
        self.warm_up: tuple[float, Notes] | None = None
        if self._reply(PREPARE_SECONDS) is None and self.outcome.overran:
            self.outcome = Outcome(reason=f"not prepared in {PREPARE_SECONDS:g} s", failed=True)

    def call(self, limit: float) -> bool:
        """One turn, if the limit for all turns leaves as much time as the longest turn so far took.
        Returns whether the turn gave a result."""
        if not self.process.is_alive() or (self.spent and self.spent + self._longest > limit):
            return False
        self.pipe.send(True)
        reply = self._reply(limit - self.spent)
        if reply is None:
            return False
        seconds, elapsed, notes, answer = reply
        self.spent += elapsed
        if self.warm_up is None:
            self.warm_up = seconds, notes
            self.outcome.answer = answer
        else:
            self.outcome.seconds.append(seconds)
            self.outcome.notes.append(notes)
        self._longest = max(self._longest, elapsed)
        return True

    def finish(self) -> Outcome:
        self._kill()
        if not self.outcome.seconds and self.warm_up is not None:  # no time for a second call
            self.outcome.seconds, self.outcome.notes = [self.warm_up[0]], [self.warm_up[1]]
        return self.outcome

    def _reply(self, seconds: float) -> Any:
        try:
            if self.pipe.poll(max(seconds, 0.0)):
                reply = self.pipe.recv()
                if not isinstance(reply, str):
                    return reply
                self.outcome.reason = reply.removeprefix(_FAILED)
                self.outcome.failed = reply.startswith(_FAILED)
            else:
                self.outcome.overran = True
        except EOFError:
            self.process.join()
            self.outcome.reason = f"died with status {self.process.exitcode}"
            self.outcome.failed = True
        self._kill()
        return None

    def _kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(pipe: Connection, method: Method, data: Any) -> None:
    warnings.simplefilter("ignore")  # the warning about stored zeros is not needed here
    try:
        call = method.prepare(data)
        pipe.send(True)
        inner = 1
        answer: Answer | None = None
        gc.disable()
        while pipe.recv():
            start = time.perf_counter()
            for _ in range(inner):
                result = call()
            elapsed = time.perf_counter() - start
            reply = method.counted(result, elapsed / inner), elapsed, method.notes(result)
            if answer is None:
                answer = method.answer(result)
                pipe.send((*reply, answer))
            else:
                pipe.send((*reply, None))
            # The first call takes longer, because it imports modules and loads data into the
            # caches: so each turn computes again how many calls a sample needs.
            calls = math.ceil(SAMPLE_SECONDS * inner / max(elapsed, 1e-9))
            inner = max(inner, min(1000, calls))
    except (EOFError, KeyboardInterrupt):
        return
    except NotApplicableError as error:
        pipe.send(str(error))
    except Exception as error:
        pipe.send(f"{_FAILED}{type(error).__name__}: {error}")


def race(methods: Sequence[Method], data: Any, *, repeats: int, limit: float) -> dict[str, Outcome]:
    """Warm-up and `repeats` rounds. All turns of one method together may take `limit` seconds.

    A turn is not started if it would probably exceed this limit. A turn that exceeds it is killed,
    and `overran` is set for the method. The turns before it count; if only the warm-up ended, the
    warm-up counts.
    """
    workers = {m.name: _Worker(m, data) for m in methods if m.absent is None}
    try:
        for _ in range(1 + repeats):
            for worker in workers.values():
                if worker.call(limit):
                    time.sleep(PAUSE_SECONDS)
    finally:
        outcomes = {name: worker.finish() for name, worker in workers.items()}
    return outcomes


def side_by_side(methods: Sequence[Method], data: Any, *, limit: float) -> dict[str, Outcome]:
    """One call of each method. All calls run at the same time, each with the limit. For methods on
    one thread, if the machine has at least as many cores."""
    workers = {m.name: _Worker(m, data) for m in methods if m.absent is None}
    try:
        with ThreadPoolExecutor(max(1, len(workers))) as pool:
            list(pool.map(lambda worker: worker.call(limit), workers.values()))
    finally:
        outcomes = {name: worker.finish() for name, worker in workers.items()}
    return outcomes


def disagreements(
    outcomes: Mapping[str, Outcome], expected: Mapping[str, int] | None = None
) -> list[str]:
    """One sentence for each quantity (rank, blocks) on which the answers differ."""
    answers: dict[str, dict[str, int]] = {}
    for name, outcome in outcomes.items():
        for quantity, value in outcome.answer.items():
            answers.setdefault(quantity, {})[name] = value
    for quantity, value in (expected or {}).items():
        if quantity in answers:
            answers[quantity]["the index"] = value
    return [
        f"{quantity}: " + ", ".join(f"{name} reports {value}" for name, value in values.items())
        for quantity, values in answers.items()
        if len(set(values.values())) > 1
    ]


def problems(
    outcomes: Mapping[str, Outcome], expected: Mapping[str, int] | None = None
) -> list[str]:
    """The disagreements, and one sentence for each method that failed."""
    failed = [f"{name}: {o.reason}" for name, o in outcomes.items() if o.failed]
    return disagreements(outcomes, expected) + failed


def raced(
    methods: Sequence[Method], cases: Iterable[Case], options: Options, complaints: list[str]
) -> Iterator[tuple[Case, Any, dict[str, Outcome], list[str]]]:
    """Each case, its matrix, the outcomes of a race on it, and its problems, which are added to
    `complaints` with the name of the case."""
    for case in cases:
        A = case.load()
        outcomes = race(methods, A, repeats=options.repeats, limit=options.limit)
        wrong = problems(outcomes, case.expected)
        complaints += [f"{case.name}: {what}" for what in wrong]
        yield case, A, outcomes, wrong


def synchronised(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call on the current GPU returns, and its seconds until the GPU has finished."""
    import cupy

    cupy.cuda.Device().synchronize()
    begin = time.perf_counter()
    result = call()
    cupy.cuda.Device().synchronize()
    return result, time.perf_counter() - begin


def median_of(call: Callable[[], Any], repeats: int) -> float:
    """Median seconds of a call on the current GPU, after a first one, which may compile."""
    return statistics.median([synchronised(call)[1] for _ in range(repeats + 1)][1:])
