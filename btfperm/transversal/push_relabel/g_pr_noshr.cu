// SPDX-License-Identifier: BSD-3-Clause
// g-pr-noshr: push-relabel on a GPU, one thread per active column
//
// Idea        g-pr-first with a list of the active columns. If a column pushes, the column it
//             displaces takes its position in the list. An init kernel before each push kernel puts
//             back the columns that did not get their row.
// Paper       M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "A push-relabel-based maximum
//             cardinality bipartite matching algorithm on GPUs", ICPP 2013: algorithm 7 without
//             lines 11 to 13, algorithms 8 (G-PR-InitKrnl) and 9 (G-PR-PushKrnl). Option relabel
//             as in g-pr-first
// Changed     as in g-pr-first. Columns put back are marked in iA like the others. An active column
//             that does not push, because the column matched to its row is in the list (line 13),
//             stores Ap(i) <- -1, where algorithm 9 leaves the old value. Neither value is used:
//             the init kernel puts the column back in this position
// Cost        Two kernels per loop, over as many positions as there were unmatched columns at
//             first; each level of a relabelling inspects all rows
// Prefer it   for comparison with g-pr-shr
// Encodings, Invariants, Races: active_list.cuh, relabel.cuh and push.cuh

#include "transversal/push_relabel/active_list.cuh"
