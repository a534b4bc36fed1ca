# SPDX-License-Identifier: BSD-3-Clause
"""Why tests are skipped: each run ends with one line for each reason, and CI bounds each of them.

A test that is skipped everywhere tests nothing. `.ci/run` sets BTFPERM_CI. Then a run fails if a
test is skipped for a reason that no row of `PERMITTED` names, or more often than the row allows.
Without BTFPERM_CI, the lines are only printed.
"""

from __future__ import annotations

import os
import re
from collections import Counter

__all__ = ["PERMITTED", "excess", "reason_of", "report"]

# A pattern of the whole reason, and the maximum number of tests that one run in CI may skip for it.
# The bounds leave some space for new tests. A reason that CI must never see has the bound 0.
PERMITTED: tuple[tuple[str, int], ...] = (
    # The machine lacks something. CI has no GPU, and the steps that need NVRTC install it.
    (r"no GPU: .*", 600),  # one for each function, or for each value of a fixture
    (r"no NVRTC here: .*|needs NVRTC.*|NVRTC .* does not know .*", 300),
    (r"needs (a|two|90 GB|\d+ GiB) .*", 40),
    (r"emulated: .*", 60),
    (r"runs on an emulated device already|a sanitizer of the core .*", 1),
    (r"a sanitizer('s| needs| takes) .*", 40),
    (r"the command is not installed|btfperm is not installed with its script", 6),
    (r"root reads everything", 3),
    (r"(?s)none found|the (shared|larger).* matrices are not .*", 40),
    (r"(?s)could not import '(torch|cupy)'.*", 12),
    # CI installs these, so they must not be missing there.
    (r"lib\w+ (of SuiteSparse )?is not installed", 0),
    (r"No module named 'igraph'", 0),
    (r"(?s)scikit-sparse does not work here .*|No module named 'sksparse'", 0),
    # CI installs it where the system has this version.
    (r"libmumps 5\.5 is not installed", 1),
    (r"(?s)could not import 'matplotlib'.*|there is no C compiler", 0),
    (r"(?s)could not import 'playwright.*|no Chromium here", 0),
    (r"nanobind is not installed", 0),
    (r"needs g\+\+( .*)?|needs Linux, .*|g\+\+ has no (AddressSanitizer here|libtsan)", 0),
    # A peer of a benchmark does not accept some matrices. The matrices are a fixed list.
    (r"(square|nonsingular) only|its graph of over .*", 40),
    # Combinations of parameters that have no meaning.
    (r"a single number cannot be swapped", 8),
    (r"one thread makes no first-touch pass", 4),
    # Optional packages and libraries. Stand-ins for sparse and casadi are always tested, the real
    # packages only if they are installed.
    (r"(sparse|casadi) is not installed", 12),
    (r"nbklu is not installed, or not for a sanitizer", 0),
    (r"MPI is not installed", 0),
    (r"runs in the step mpi of .ci/run", 40),
    (r"runs in the step (emulated|threads) of .ci/run", 6),
    (r"libklu is not installed, or not for a sanitizer", 0),
    (r"petsc4py is not installed", 13),
    (r"Octave is not installed", 4),
    (r"pyomo is not installed", 0),  # CI installs it
    (r"pandas is not installed", 2),
    (r"the wheels of SPRAL are not installed|the wheel with libsuperlu\.a is not installed", 2),
    (r"memory cannot be measured here", 40),
    # Other systems.
    (r"sends SIGINT|needs setitimer|needs POSIX .*|this system has no .*", 0),
    (r"no list of threads here|limits the address space|needs /dev/stdin|.* fork.*", 0),
    (r"(only glibc reports|this malloc does not count) .*", 40),  # a sanitizer's malloc
)


def reason_of(report: object) -> str:
    """The reason of a skipped test, without the words that pytest puts before it."""
    longrepr = getattr(report, "longrepr", "")
    text = str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)
    return text.removeprefix("Skipped: ")


def excess(reasons: Counter[str]) -> list[str]:
    """One sentence for each reason that is not permitted, and for each bound that is exceeded."""
    found = []
    counts: Counter[str] = Counter()
    for reason, count in reasons.items():
        row = next((row for row in PERMITTED if re.fullmatch(row[0], reason)), None)
        if row is None:
            found.append(f"{count} tests skipped for a reason that is not permitted: {reason}")
        else:
            counts[row[0]] += count
    for pattern, bound in PERMITTED:
        if counts[pattern] > bound:
            found.append(f"{counts[pattern]} tests skipped, at most {bound} may be: {pattern}")
    return found


def report(terminal) -> None:
    """Prints the reasons of this run and, in CI, which of them exceed their bounds."""
    reasons = Counter(reason_of(skipped) for skipped in terminal.stats.get("skipped", ()))
    if reasons:
        terminal.section("skipped tests by reason")
    for reason, count in reasons.most_common():
        terminal.line(f"{count:6,}  {' '.join(reason.split())[:150]}")
    for sentence in in_ci(reasons):
        terminal.line(f"ERROR: {sentence}", red=True)


def in_ci(reasons: Counter[str]) -> list[str]:
    return excess(reasons) if os.environ.get("BTFPERM_CI") else []


def fails(terminal) -> bool:
    """Whether the skipped tests alone make this run fail."""
    return bool(in_ci(Counter(reason_of(s) for s in terminal.stats.get("skipped", ()))))
