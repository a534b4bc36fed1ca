# SPDX-License-Identifier: BSD-3-Clause
"""A backend that is not part of btfperm, and the patterns that it holds: it uses the CPU core,
records the calls, and fails on request."""

from __future__ import annotations

from btfperm.backends.cpu.backend import CPU
from btfperm.backends.protocol import Outcome
from btfperm.errors import BackendUnavailableError
from btfperm.pattern import Pattern, as_pattern
from btfperm.transversal.certificate import certified


class ToyPattern(Pattern):
    """A pattern that the toy backend holds."""

    backend = "toy"
    is_on_host = False

    @classmethod
    def of(cls, A):
        pattern = as_pattern(A)
        return cls._unchecked(pattern.shape, pattern.indptr, pattern.indices)

    def on_host(self):
        return Pattern._unchecked(self.shape, self.indptr, self.indices)


class ToyProblem:
    """A problem that only the toy backend can use."""

    def __init__(self, host):
        self.host = host

    @property
    def size(self):
        return self.host.size

    def transposed(self):
        return ToyProblem(self.host.transposed())

    def on_host(self):
        return self.host

    def reset(self, *, keep_matching):
        self.host.reset(keep_matching=keep_matching)


class ToyBackend:
    """See `btfperm.backends.protocol.Backend`."""

    name = "toy"
    is_distributed = False
    is_on_host = False
    is_replaceable = True
    is_deterministic = False
    starts_in_order = True

    def __init__(self):
        self.calls = []
        self.fails_at = None  # name of the method that raises BackendUnavailableError
        self.abandons = False
        self.undecided = False
        self.wants_to_decompose = False
        self.features = {"toys": 0.0}  # of the machine: `register` names them

    def _record(self, call):
        self.calls.append(call)
        if self.fails_at == call:
            raise BackendUnavailableError(f"the toy broke in {call}")

    def check(self, device):
        self._record("check")

    def empty(self, session, threads):
        self._record("empty")
        return ToyProblem(CPU.empty(session, threads))

    def adopt(self, session, problem, device):
        self._record("adopt")
        return problem if isinstance(problem, ToyProblem) else ToyProblem(problem.on_host())

    def run(self, row, problem, request, within, *, threads):
        self._record("run")
        abandons = self.abandons and within is not None
        outcome = CPU.run(row, problem.host, request, within, threads=threads)
        return Outcome(None, True, outcome.counters) if abandons else outcome

    def prove(self, package, problem, view, *, stopped_by, threads, size):
        self._record("prove")
        if self.undecided:
            return None
        return CPU.prove(
            package, problem.host, view.host, stopped_by=stopped_by, threads=threads, size=size
        )

    def deliver(self, session, problem, proof):
        self._record("deliver")
        return problem.host.row_match, problem.host.col_match, *proof[:2]

    def uploaded(self, pattern, arrays):
        self._record("uploaded")
        return arrays

    def decompose(self, session, row_match, col_match, threads):
        self._record("decompose")
        return CPU.decompose(session, row_match, col_match, threads)

    def decomposes_here(self, session):
        return "this backend holds the matrix"

    def should_decompose(self, session):
        return self.wants_to_decompose, "the toy was asked"

    def measure(self, feature, subject):
        self._record(f"measure {feature}")
        return self.features[feature]

    def device_name(self, problem):
        return "a toy"


TOY = ToyBackend()


def recertify(pattern, given):
    """The step that certifies a transversal of the caller again; None if `undecided`."""
    TOY._record("recertify")
    return None if TOY.undecided else certified(pattern.on_host(), given)
