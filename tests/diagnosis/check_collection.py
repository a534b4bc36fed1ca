# SPDX-License-Identifier: BSD-3-Clause
"""Checks the diagnosis of each matrix in ``../shared/matrices`` that is rectangular or deficient.

``python -m tests.diagnosis.check_collection [LARGEST]`` omits matrices with more than LARGEST
entries (default 10^9). The check shares no code with btfperm and takes minutes on the largest ones.
"""

from __future__ import annotations

import sys

import btfperm
from tests.checks.check_diagnosis import check_cover_of, check_diagnosis
from tests.known_answers import shared_answers


def main(largest: int) -> int:
    wrong, count = 0, 0
    for known in sorted(shared_answers(), key=lambda row: row.entries):
        m, n = known.shape
        if known.entries > largest or known.structural_rank == m == n:
            continue
        pattern = btfperm.read(known.path)
        found = btfperm.diagnose(pattern)
        A, rank = pattern.to_scipy(), known.structural_rank
        count += 1
        try:
            check_diagnosis(A, found.to_dict(limit=None), rank)
            check_cover_of(A, found.repair.cover, rank)
        except AssertionError as error:
            wrong += 1
            print(f"{known.name}: {error or 'wrong'}", flush=True)
    print(f"{count} diagnoses checked, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10**9))
