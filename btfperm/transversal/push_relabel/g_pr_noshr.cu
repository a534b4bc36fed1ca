// SPDX-License-Identifier: BSD-3-Clause
// g-pr-noshr: push-relabel on a GPU, one thread per active column
//
// Idea        g-pr-first with a list of the active columns. When a column pushes, the column that
//             it displaces is stored at its position in the list. Before each push kernel, an init
//             kernel puts those columns back that are not matched to the row to which they pushed.
// Paper       M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "A push-relabel-based maximum
//             cardinality bipartite matching algorithm on GPUs", ICPP 2013: algorithm 7 without
//             lines 11 to 13, algorithms 8 (G-PR-InitKrnl) and 9 (G-PR-PushKrnl). Option relabel
//             as in g-pr-first
// Changed     as in g-pr-first. The columns that the init kernel puts back are marked in iA like
//             the others. An active column does not push if the column matched to its row is in the
//             list (line 13). Then this code stores Ap(i) <- -1, and algorithm 9 leaves the old
//             value. Neither value is used, because the init kernel keeps the column at this
//             position
// Cost        two kernels per loop, over as many positions as there were unmatched columns at the
//             start; each level of a relabelling inspects all rows
// Prefer it   for comparison with g-pr-shr
// Encodings, Invariants, Races: active_list.cuh, relabel.cuh and push.cuh

#include "transversal/push_relabel/active_list.cuh"
