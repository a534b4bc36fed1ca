# SPDX-License-Identifier: BSD-3-Clause
"""The rules of ``auto``: for each decision, the first rule whose conditions all hold is applied.

The benchmarks divide their matrices into two halves: rules are chosen by measurements on the half
``fit`` and judged on the other one. Unless a comment names another source, a rule about a GPU was
chosen on the half ``fit`` of benchmarks/regret/gpu.py, and a rule for one process without a GPU on
the half ``fit`` of benchmarks/regret/cpu.py. The rules for ``"published"`` were chosen by results
in benchmarks/results: regret (CPU, one thread), paper-001 and scaling (CPU, several threads), and
published-choice with the set ``fit`` (GPU).

For a rule, ``auto_measured.json`` holds the slow-down of its choice against the best choice, as a
geometric mean over matrices. For rules about a GPU, these are matrices of the half that was not
used to choose them; for other rules, they are those of the half ``fit``. The file does not contain
the rules of "threads", those over ranks, those for ``"published"``, and a few others.
"""

from __future__ import annotations

from btfperm.path.rules import Condition, Rule, Table

__all__ = ["DEFAULT", "DEFAULT_ON_GPU", "SECOND", "TABLE"]

DEFAULT = "guided-displacement"
DEFAULT_ON_GPU = "meeting-trees"
# The algorithm that repairs a matching that fails its certificate. Its code is serial and short,
# and its time is bounded.
SECOND = "hopcroft-karp"

# Bounds on the number of entries, see the rules below.
_SMALL_FOR_GPU = 200_000
_SMALL = 16_000
_TINY = 4_000
_LARGE_FOR_THREADS = 5_000_000
_LARGE_FOR_GPU = 20_000_000  # for the choice among published searches
# Each rank analyses a matrix with fewer rows, columns and entries as a whole, unless the caller
# requests the backend "mpi". A search over ranks needs many exchanges; a serial search of such a
# matrix takes less time.
_SMALL_FOR_RANKS = 4_000_000

# The conditions under which the first rank searches for all ranks, on its cores or on its GPU.
_ONE_GPU = (Condition("first_gpu", ">=", 1), Condition("first_memory", ">=", 1))
_ONE_MACHINE = (Condition("first_cores", ">=", 2), Condition("first_memory", ">=", 1))
_ONE_RANK = (Condition("alone", ">=", 1),)  # the only rank

_SIXTEEN_THREADS = (Condition("entries", ">=", 500_000), Condition("threads", ">=", 16))

# For a matrix on a GPU, the sampled features come from its column pointers alone.
_RULES: dict[str, tuple[Rule, ...]] = {
    "place": (
        Rule(
            "small",
            (Condition("entries", "<", _SMALL_FOR_GPU),),
            "cpu",
            "the copy to a GPU would take longer than the search",
        ),
        Rule(
            "cold",
            (Condition("warm", "<", 1), Condition("entries", "<", 65_000_000)),
            "cpu",
            "starting CUDA takes longer than the search",
        ),
        Rule("no gpu", (Condition("gpus", "<", 1),), "cpu", "CuPy finds no GPU on this machine"),
        Rule(
            "dense",
            (Condition("density", ">=", 0.01),),
            "cpu",
            "few columns are searched before a maximum matching is found",
        ),
        Rule(
            "diagonal",
            (Condition("diagonal", ">", 0.99),),
            "cpu",
            "the initial matching is nearly maximum",
        ),
        Rule(
            "even strip",
            (Condition("near", ">", 0.5), Condition("skew", "<", 0.4)),
            "cpu",
            "a mesh in its natural order: few columns are unmatched after one pass",
        ),
        Rule("the rest", (), "gpu", "the search takes longer than the copy"),
    ),
    "threads": (
        Rule(
            "large, many cores",
            (Condition("entries", ">=", 1_000_000), Condition("cores", ">=", 4)),
            "all",
            "a million entries are enough work for several threads",
        ),
        # With 2 to 4 million entries, two threads on two cores were not reliably faster than one:
        # for some matrices, the whole call took longer (`python -m benchmarks.run --section scaling
        # --algorithm auto --counts 1 2 --only NAME`).
        Rule(
            "very large, two cores",
            (Condition("entries", ">=", _LARGE_FOR_THREADS), Condition("cores", ">=", 2)),
            "all",
            "the threads wait for memory at the same time",
        ),
        Rule("one thread", (), "one", "starting threads takes longer than a small search"),
    ),
    "start": (
        Rule(
            "tiny",
            (Condition("entries", "<", _TINY),),
            "none",
            "the search takes less time than an initial matching",
        ),
        # Matrices that were not used to choose this rule, and on which its choice is the best
        # (benchmarks/results/2026-11-26-regret-all): chain_5e4, chain_5e5, chains_200x200,
        # chains_500x1000, chains_hk_300, chains_hk_1000.
        Rule(
            "chains",
            (Condition("degree", "<", 2.01), Condition("longest", "<", 3)),
            "singles-first",
            "columns of two entries form chains, which greedy may match from the wrong end",
        ),
        Rule(
            "the rest",
            (),
            "greedy",
            "one pass; a better initial matching costs more than it saves in the search",
        ),
    ),
    "side": (
        Rule("wide", (Condition("wide", ">", 1.3),), "rows", "there are fewer rows than columns"),
        Rule("as stored", (), "columns", "the lists of the columns exist already"),
    ),
    "algorithm": (
        Rule(
            "dense",
            (Condition("entries", ">=", _TINY), Condition("density", ">=", 0.1)),
            "pothen-fan",
            "the lookahead finds an unmatched row for nearly every column",
            within=16,
        ),
        Rule(
            "small", (Condition("entries", "<", _SMALL),), "ss-bfs", "the least set-up", within=20
        ),
        Rule("the rest", (), DEFAULT, "the best on average where no other rule applies"),
    ),
    "start on gpu": (
        Rule(
            "for another search",
            (Condition("itself", "<", 1),),
            "greedy",
            "in natural order, in parallel; it is abandoned where columns form long chains",
            within=3,
        ),
        Rule(
            "small",
            (Condition("entries", "<", 1_000_000),),
            "greedy",
            "if it is maximum already, the search needs no set-up",
            within=3,
        ),
        Rule("the rest", (), "none", "the search makes its own initial matching"),
    ),
    "algorithm on gpu": (
        Rule("always", (), DEFAULT_ON_GPU, "the fastest search on a GPU", within=3),
    ),
    "place over ranks": (
        Rule("one rank", (Condition("ranks", "<", 2),), "cpu", "one rank holds the whole matrix"),
        Rule(
            "small",
            (
                Condition("entries", "<", _SMALL_FOR_RANKS),
                Condition("rows", "<", _SMALL_FOR_RANKS),
                Condition("cols", "<", _SMALL_FOR_RANKS),
            ),
            "cpu",
            "each rank analyses the whole matrix in less time than messages would take",
        ),
        Rule("the rest", (), "mpi", "the matrix is too large for a copy on each rank"),
    ),
    # Not for ranks with GPUs: their initializer is the one that runs on these
    # (`Algorithm.uses_devices`).
    "start on mpi": (
        Rule("one rank", _ONE_RANK, "none", "the search of one process makes its own"),
        Rule(
            "one machine",
            _ONE_MACHINE,
            "none",
            "the first rank searches on all cores from its own initial matching",
        ),
        Rule(
            "diagonal",
            (Condition("diagonal", ">=", 0.99),),
            "greedy",
            "it takes the diagonal, without a message for most columns",
        ),
        Rule("the rest", (), "karp-sipser", "each column left to the search costs many messages"),
    ),
    "algorithm on mpi": (
        Rule("one rank", _ONE_RANK, "first-rank", "it has the whole matrix and needs no messages"),
        Rule(
            "one gpu",
            _ONE_GPU,
            "first-rank",
            "the GPU of the first rank holds the whole matrix and needs no messages",
        ),
        Rule(
            "one machine",
            _ONE_MACHINE,
            "first-rank",
            "threads of one rank share the memory of the machine and need no messages",
        ),
        Rule("always", (), "ms-bfs", "many paths in each exchange between ranks"),
    ),
    # For algorithm="published": the best of the algorithms of other authors.
    "published": (
        Rule(
            "dense",
            (Condition("entries", ">=", _TINY), Condition("density", ">=", 0.1)),
            "pothen-fan",
            "the lookahead finds an unmatched row for nearly every column",
        ),
        Rule("small", (Condition("entries", "<", _SMALL),), "ss-bfs", "the least set-up"),
        # ms-bfs uses one thread, and on one thread ms-bfs-graft is slower than ms-bfs on most
        # graphs. From 4 threads on, ms-bfs-graft is faster on all six graphs of
        # benchmarks/results/2026-11-27-rule-support-all. The smallest has 8.3 million entries.
        Rule(
            "large, many threads",
            (Condition("entries", ">=", _LARGE_FOR_THREADS), Condition("threads", ">=", 4)),
            "ms-bfs-graft",
            "the best published search on several threads; ms-bfs uses one",
        ),
        # Measured on 16 threads only. The bound of the first rule was set with the 46 graphs of
        # benchmarks/results/2026-11-27-published-16-threads-more, the others with the 24 graphs of
        # 2026-11-26-published-16-threads; these have 0.63 to 3 million entries.
        Rule(
            "few unmatched, sixteen threads",
            (*_SIXTEEN_THREADS, Condition("free", "<", 0.0002)),
            "ms-bfs",
            "one thread augments few paths sooner than several threads start",
        ),
        Rule(
            "long columns, sixteen threads",
            (*_SIXTEEN_THREADS, Condition("degree", ">=", 40)),
            "pothen-fan",
            "the lookahead finds unmatched rows in long columns",
        ),
        Rule(
            "many unmatched, sixteen threads",
            (*_SIXTEEN_THREADS, Condition("free", ">=", 0.25)),
            "ms-bfs-graft",
            "it visits trees without an unmatched row only once, even if there are many of them",
        ),
        Rule(
            "sixteen threads",
            _SIXTEEN_THREADS,
            "p-dbfs",
            "the best published search on many threads on average; ms-bfs uses one",
        ),
        Rule("the rest", (), "ms-bfs", "the best published search on one thread on average"),
    ),
    # The rule with the feature `depth` is the last one with conditions, because to measure it takes
    # a global relabelling on the GPU. So it is measured only for large matrices to which no earlier
    # rule applies.
    "published on gpu": (
        Rule(
            "uneven columns",
            (
                Condition("entries", ">=", 100_000),
                Condition("degree", ">", 4),
                Condition("skew", ">", 0.8),
            ),
            "g-pr-shr",
            "paths are short, and a thread of apfb-wr visits a whole long column",
        ),
        Rule(
            "uneven, long columns",
            (
                Condition("entries", ">=", 100_000),
                Condition("degree", ">", 10),
                Condition("skew", ">", 0.5),
            ),
            "g-pr-shr",
            "paths are short, and a thread of apfb-wr visits a whole long column",
        ),
        Rule(
            "uneven, short columns",
            (
                Condition("entries", ">=", 100_000),
                Condition("degree", ">", 4),
                Condition("degree", "<", 5.5),
                Condition("skew", ">", 0.5),
                Condition("free", "<", 0.25),
            ),
            "g-pr-shr",
            "paths are short, and only active columns are visited",
        ),
        Rule(
            "large, irregular",
            (Condition("entries", ">=", _LARGE_FOR_GPU), Condition("skew", ">", 0.3)),
            "g-pr-shr",
            "paths are short, and only active columns are visited",
        ),
        Rule(
            "large, few unmatched",
            (Condition("entries", ">=", _LARGE_FOR_GPU), Condition("free", "<", 0.02)),
            "g-pr-shr",
            "only active columns are visited, and they are few",
        ),
        Rule(
            "very long paths",
            (Condition("entries", ">=", _LARGE_FOR_GPU), Condition("depth", ">", 500)),
            "g-pr-shr",
            "other published searches need as many launches in each phase",
        ),
        Rule("the rest", (), "apfb-wr", "few launches, also if paths are long"),
    ),
}

TABLE = Table(_RULES)
