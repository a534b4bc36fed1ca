# SPDX-License-Identifier: BSD-3-Clause
"""The GPU backend: kernels of this package, compiled and launched through CuPy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from btfperm import registry
from btfperm.backends.protocol import STOPPED_BY, Delivered, Outcome, Proof, Session
from btfperm.backends.threads import is_forked

if TYPE_CHECKING:
    from btfperm.path.request import Request
    from btfperm.pattern import DevicePattern

__all__ = ["GPU"]

# A search on a GPU makes progress if it visits this number of entries between two polls, or half of
# all entries of the matrix (see `Budget`).
_MANY_ENTRIES = 1 << 27
# The number of entries from which on a matrix on the host is copied to a GPU for its decomposition.
# For fewer entries, the copies may take longer than the decomposition on the CPU.
_WORTH_A_COPY = 4_000_000


class Gpu:
    """See `protocol.Backend`. CuPy is imported when a problem is first made."""

    name = "gpu"
    is_distributed = False
    is_on_host = False
    is_replaceable = True
    is_deterministic = False
    # An initializer on several threads may leave unmatched columns far from unmatched rows, and
    # apfb-wr then takes longer.
    starts_in_order = True

    def check(self, device: int | None) -> None:
        from btfperm.backends.gpu.device import refuse_missing

        refuse_missing(device)

    def empty(self, session: Session, threads: int) -> Any:
        from btfperm.backends.gpu.problem import DeviceProblem

        if session.package:
            return registry.step(session.package, "problem", self.name)(session, threads)
        pattern: Any = session.pattern
        return DeviceProblem.empty(pattern)

    def adopt(self, session: Session, problem: Any, device: int | None) -> Any:
        return problem.on_device(session, device)

    def run(
        self,
        row: registry.Algorithm,
        problem: Any,
        request: Request,
        within: float | None,
        *,
        threads: int,
    ) -> Outcome:
        from btfperm.backends.gpu.budget import ABANDONED, Budget
        from btfperm.backends.gpu.device import on

        polls = 0 if within is None else math.ceil(within)
        many = min(problem.nnz // 2, _MANY_ENTRIES)
        budget = Budget(request.seconds_left(), request.work or 0, polls, many)
        with on(problem.device):
            counters = row.load()(problem, budget, request.seed, request.options_of(row))
        if budget.stop == ABANDONED:
            return Outcome(None, True, counters)
        return Outcome(STOPPED_BY[budget.stop], False, counters)

    def prove(
        self,
        package: str,
        problem: Any,
        view: Any,
        *,
        stopped_by: str | None,
        threads: int,
        size: int | None,
    ) -> Proof | None:
        if not registry.has_step(package, "certificate", self.name):
            return None
        certificate = registry.step(package, "certificate", self.name)
        proof: Proof | None = certificate(problem, view, stopped_by, threads, size)
        return proof

    def deliver(self, session: Session, problem: Any, proof: Proof) -> Delivered:
        from btfperm.backends.gpu.arrays import download
        from btfperm.backends.gpu.device import on

        pattern: Any = session.pattern
        if pattern.backend == self.name and pattern.device == problem.device:
            return problem.row_match, problem.col_match, proof[0], proof[1]
        here = problem.on_host()
        with on(problem.device):
            download(proof[0], here.row_in_cover)
            download(proof[1], here.col_in_cover)
        arrays = here.row_match, here.col_match, here.row_in_cover, here.col_in_cover
        if pattern.backend == self.name:
            return self.uploaded(pattern, arrays)
        if session.keep_copies:
            session.copies["matched"] = here.row_match, problem
        return arrays

    def uploaded(self, pattern: DevicePattern, arrays: Delivered) -> Delivered:
        """Arrays of the host, copied to the device of a pattern."""
        from btfperm.backends.gpu.arrays import upload
        from btfperm.backends.gpu.device import on

        with on(pattern.device):
            rows, cols, *covers = (None if array is None else upload(array) for array in arrays)
        return rows, cols, covers[0], covers[1]

    def decompose(self, session: Session, row_match: Any, col_match: Any, threads: int) -> Any:
        decompose = registry.step("dulmage_mendelsohn", "decompose", self.name)
        return decompose(session, row_match, col_match)

    def decomposes_here(self, session: Session) -> str:
        return "this backend holds the matrix"

    def should_decompose(self, session: Session) -> tuple[bool, str]:
        """True in two cases. Either a device holds a copy of the matrix; or the matrix is large,
        this process uses a device already, and it was not forked from a process with threads."""
        if session.copies.get("pattern"):
            return True, "a device holds a copy of the matrix"
        if session.pattern.nnz < _WORTH_A_COPY:
            return (
                False,
                f"no copy exists, and there are fewer than {_WORTH_A_COPY:,} entries",
            )
        if is_forked():
            return False, "a process started by os.fork cannot use the device of its parent"
        if self.is_in_use():
            return True, "the matrix is large, and this process uses a device already"
        return False, "no copy exists, and this process uses no device"

    def is_in_use(self) -> bool:
        """Whether this process uses a device already, so that a step starts there without delay."""
        from btfperm.backends.gpu.device import in_use

        return in_use()

    def measure(self, feature: str, subject: Any) -> float:
        """The value of one feature: `warm`, whether a search starts without delay; `gpus`, the
        number of GPUs; or `depth`, see `Features`. The first two are computed only if a rule needs
        them, because the NVIDIA driver takes some time to list its GPUs."""
        if feature == "depth":
            return float(registry.step("transversal", "first relabelling", self.name)(subject))
        from btfperm.backends.gpu.device import count_unloaded

        return int(self.is_in_use()) if feature == "warm" else count_unloaded()

    def device_name(self, problem: Any) -> str:
        from btfperm.backends.gpu.device import facts

        return f"{facts(problem.device)[0]} (device {problem.device})"


GPU = Gpu()
