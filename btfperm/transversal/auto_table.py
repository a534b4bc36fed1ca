# SPDX-License-Identifier: BSD-3-Clause
"""The rules of ``auto``: for each decision, the first rule whose conditions all hold is applied.

The bounds were set on one half of the families and real matrices of benchmarks/regret/cpu.py; the
rules for thin matrices also used chains of the other half. The rules about a GPU were set on the
half ``fit`` of benchmarks/regret/gpu.py. ``auto_measured.json`` has the measured worth of each
rule; for rules about a GPU it was measured on the half that was not used to set them.
"""

from __future__ import annotations

from btfperm.path.rules import Condition, Rule, Table

__all__ = ["DEFAULT", "DEFAULT_ON_GPU", "TABLE"]

DEFAULT = "guided-displacement"
DEFAULT_ON_GPU = "meeting-trees"

# For a matrix on a GPU, only sizes and column pointers are sampled.
_RULES: dict[str, tuple[Rule, ...]] = {
    "place": (
        Rule(
            "small",
            (Condition("entries", "<", 50_000),),
            "cpu",
            "it is done before a GPU has begun",
        ),
        Rule(
            "cold",
            (
                Condition("warm", "<", 1),
                Condition("threads", ">=", 4),
                Condition("entries", "<", 65_000_000),
            ),
            "cpu",
            "starting CUDA takes longer than the search",
        ),
        Rule(
            "cold, few threads",
            (Condition("warm", "<", 1), Condition("entries", "<", 16_000_000)),
            "cpu",
            "starting CUDA takes longer than the search, on one thread, too",
        ),
        Rule("no gpu", (Condition("gpus", "<", 1),), "cpu", "no GPU is here that CuPy could use"),
        Rule(
            "thin",
            (
                Condition("entries", "<", 200_000),
                Condition("degree", "<", 5),
                Condition("degree", ">", 2.9),
                Condition("diagonal", "<", 0.1),
            ),
            "gpu",
            "each column has few choices, so one thread takes long for its size",
        ),
        Rule(
            "forest",
            (
                Condition("entries", "<", 200_000),
                Condition("degree", "<", 5),
                Condition("skew", ">", 0.2),
                Condition("diagonal", "<", 0.1),
            ),
            "gpu",
            "fewer choices still, but columns too uneven for one long chain",
        ),
        Rule(
            "hardly large",
            (Condition("entries", "<", 200_000),),
            "cpu",
            "the copy would take longer than the search",
        ),
        Rule(
            "dense",
            (Condition("density", ">=", 0.01), Condition("skew", "<", 0.4)),
            "cpu",
            "found before it is copied",
        ),
        Rule(
            "dense in part",
            (Condition("density", ">=", 0.1), Condition("entries", "<", 1_000_000)),
            "cpu",
            "so few columns are searched before they are copied",
        ),
        Rule("flat", (Condition("wide", ">", 5),), "cpu", "few rows, each with many columns"),
        Rule(
            "diagonal",
            (Condition("diagonal", ">", 0.99),),
            "cpu",
            "the start finds nearly all of it",
        ),
        Rule(
            "most of the diagonal",
            (Condition("diagonal", ">", 0.7), Condition("entries", "<", 1_000_000)),
            "cpu",
            "the start finds nearly all of it, and the copy would take longer than the rest",
        ),
        Rule(
            "few threads",
            (
                Condition("threads", "<", 4),
                Condition("entries", ">=", 2_000_000),
                Condition("warm", ">=", 1),
            ),
            "gpu",
            "the search takes several times as long as the copy",
        ),
        Rule(
            "hubs",
            (
                Condition("skew", ">", 2),
                Condition("degree", ">=", 40),
                Condition("entries", ">=", 1_000_000),
            ),
            "cpu",
            "it needs to read a part of the matrix",
        ),
        Rule("tall", (Condition("wide", "<", 0.4),), "cpu", "paths to the free rows are short"),
        Rule(
            "hidden",
            (Condition("hidden", ">", 0.2), Condition("skew", "<", 0.4)),
            "cpu",
            "a few long columns among even ones: each is read by one thread of a GPU",
        ),
        Rule(
            "even strip",
            (
                Condition("near", ">", 0.5),
                Condition("skew", "<", 0.4),
                Condition("degree", ">=", 4),
            ),
            "cpu",
            "a mesh in its own order: few columns are left after one pass",
        ),
        Rule(
            "chains",
            (
                Condition("near", ">", 0.9),
                Condition("skew", "<", 0.1),
                Condition("degree", "<", 2.05),
            ),
            "cpu",
            "chains in their own order: long paths, each in a piece of memory",
        ),
        Rule("the rest", (), "gpu", "the search takes longer than the copy"),
    ),
    "threads": (
        Rule(
            "large, many cores",
            (Condition("entries", ">=", 1_000_000), Condition("cores", ">=", 4)),
            "all",
            "a million entries keep several threads busy",
        ),
        # Two threads over one, medians of whole calls (`python -m benchmarks.run --section scaling
        # --algorithm auto --counts 1 2 --only NAME`): seven families of 2 million entries 1.02, of
        # 3 million 1.02, from .8 to 1.7; of 4 million 1.25 in a quiet minute (every one above 1 at
        # its best), .76 in one when others used the cores. So not below 5 million.
        Rule(
            "very large, two cores",
            (Condition("entries", ">=", 5_000_000), Condition("cores", ">=", 2)),
            "all",
            "memory is far, and two wait for it at the same time",
        ),
        Rule(
            "one thread",
            (),
            "one",
            "a small search is over before other threads have woken up",
        ),
    ),
    "start": (
        Rule(
            "tiny",
            (Condition("entries", "<", 4_000),),
            "none",
            "the search is over before a start would be set up",
        ),
        Rule(
            "thin",
            (Condition("degree", "<", 3),),
            "singles-first",
            "nearly a forest, with many columns of one entry, which have no choice",
        ),
        Rule(
            "the rest",
            (),
            "greedy",
            "one pass, enough on many matrices, and the search makes up for what a better start "
            "would add",
        ),
    ),
    "side": (
        Rule("wide", (Condition("wide", ">", 1.3),), "rows", "there are fewer rows to search from"),
        Rule("as stored", (), "columns", "the lists of the columns are there"),
    ),
    "algorithm": (
        Rule(
            "several threads",
            (Condition("threads", ">", 1), Condition("entries", ">=", 2_000_000)),
            DEFAULT,
            "it keeps all of them busy from start to proof",
        ),
        Rule(
            "dense",
            (Condition("entries", ">=", 4_000), Condition("density", ">=", 0.1)),
            "pothen-fan",
            "nearly every column sees a free row when it looks ahead",
            within=16,
        ),
        Rule(
            "tall",
            (Condition("entries", ">=", 4_000), Condition("wide", "<", 0.1)),
            "pothen-fan",
            "most rows stay free, and nearly every column sees one when it looks ahead",
            within=16,
        ),
        Rule(
            "small, many free",
            (
                Condition("entries", "<", 16_000),
                Condition("entries", ">=", 4_000),
                Condition("free", ">", 0.07),
                Condition("degree", ">=", 3),
            ),
            "ms-bfs",
            "one level of all trees finds more than a tree from each",
            within=20,
        ),
        Rule("small", (Condition("entries", "<", 16_000),), "ss-bfs", "least to set up", within=20),
        Rule(
            "thin",
            (
                Condition("entries", "<", 1_000_000),
                Condition("degree", "<", 2.5),
                Condition("single", ">", 0.02),
            ),
            "ss-bfs",
            "nearly a forest, with leaves: what a column can reach is little",
            within=1.5,
        ),
        Rule(
            "few left",
            (
                Condition("entries", "<", 250_000),
                Condition("free", "<", 0.06),
                Condition("single", ">", 0),
            ),
            "ms-bfs",
            "trees from few columns stay small, and the last of them are the proof",
            within=4,
        ),
        Rule("the rest", (), DEFAULT, "least behind the best where no other rule holds"),
    ),
    "start on gpu": (
        Rule(
            "for another search",
            (Condition("itself", "<", 1),),
            "greedy",
            "in order, as one thread finds it, by all of them; not where columns push each other "
            "on in long chains",
            within=3,
        ),
        Rule(
            "small",
            (Condition("entries", "<", 1_000_000),),
            "greedy",
            "where it finds all, there is nothing to set up",
            within=3,
        ),
        Rule(
            "the rest",
            (),
            "none",
            "the search begins by itself, in order or at random",
        ),
    ),
    "algorithm on gpu": (
        Rule(
            "always",
            (),
            DEFAULT_ON_GPU,
            "the fastest of those that a GPU runs",
            within=3,
        ),
    ),
}

TABLE = Table(_RULES)
