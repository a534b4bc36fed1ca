# SPDX-License-Identifier: BSD-3-Clause
"""ONE PATH: input, plan, run, prove, decompose, result.

=============  ==================================================================================
step           modules
=============  ==================================================================================
input          ``pattern/`` makes a `Pattern` of the caller's matrix; ``request.py`` validates the
               other arguments
plan           ``plan.py`` defines the plan, which is plain data: which algorithms run, where, on
               how many threads, within which bounds and limits, and why. ``make_plan.py`` makes the
               plan by the rules in the ``auto_table.py`` of a package; ``rules.py`` defines the
               form of these rules. It also starts the threads, because later rules use their
               number, and measures the features that rules use
run            ``run.py`` carries out the plan on a backend: `match` finds maximum transversals, and
               `carry_out` runs the plan of any package
prove          ``prove.py`` checks the certificate; if it is wrong, it prepares the second search
decompose      ``decompose.py`` chooses a backend and calls it. The choice follows the search, which
               may leave a copy of the matrix on a device. ``recertify.py`` checks a transversal
               that the caller gave
after failures ``fallback.py`` is the only place that decides what follows a failed step;
               ``failure.py`` has the warning about a failed backend
result         ``result.py`` makes a `Transversal`; other packages make their own objects. The
               classes are in ``results/``
progress       ``watch.py`` samples a running search on the CPU
=============  ==================================================================================

The modules call algorithms through the registry, and backends through
`btfperm.backends.protocol.Backend`.

A weighted search and a matching in a graph take the same path, with a `ValuedSession`. Their
packages have rules without the decision ``start`` (``auto_table.py``), so that their plans have no
initial matching. They have two steps for each backend (``registry/steps.py``): ``problem`` makes
the object that the algorithms work on, and ``certificate`` proves the result. There are three
exceptions from the path:

- ``objective="bottleneck"`` has no plan of its own. ``weighted/bottleneck.py`` calls
  `maximum_transversal` for each threshold; each of these calls takes the path, and proves its rank.
- If the plan of the pattern lets each rank analyse the whole matrix, each rank also runs the whole
  weighted search, as one process does on the CPU (``_on_each_rank`` in ``weighted/weigh_mpi.py``).
  ``_place`` there asks the rule before there is a plan, because this decides how to read the file.
- The search ``first-rank`` over the MPI ranks of one machine takes the whole path of one process on
  the first rank, and proves its result there. The step *prove* of the other ranks only compares
  counts.
"""
