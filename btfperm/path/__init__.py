# SPDX-License-Identifier: BSD-3-Clause
"""ONE PATH: input, plan, run, prove, decompose, result.

=============  ==================================================================================
step           where
=============  ==================================================================================
input          ``pattern/`` makes a `Pattern` of whatever the caller gave; ``request.py`` validates
               the other arguments
plan           ``plan.py``: which algorithms run, where, on how many threads, within which bounds
               and limits, and why, as plain data. ``make_plan.py`` makes it by the rules in the
               ``auto_table.py`` of a package, whose form ``rules.py`` defines. It starts the
               threads, whose number later rules use, and measures the features that rules ask for
run            ``run.py`` carries out the plan on a backend; `match` for maximum transversals,
               `carry_out` for each package
prove          ``prove.py`` checks the certificate; after a wrong one it prepares the second search
decompose      ``decompose.py`` chooses the backend after the search, which may leave a copy on a
               device, and calls it; ``recertify.py`` checks a transversal that the caller gave
after failures ``fallback.py``, the only place that decides what follows a failed step;
               ``failure.py`` has the warning about a failed backend
result         ``result.py`` makes a `Transversal`, other packages make their own object; its class
               is in ``results/``
progress       ``watch.py`` samples a running search on the CPU
=============  ==================================================================================

The modules call algorithms through the registry, and backends through
`btfperm.backends.protocol.Backend`.

A weighted search and a matching in a graph take the same path, with a `ValuedSession`. Their
package has rules without the decision ``start`` (``auto_table.py``), so that their plan has no
initial matching, and two steps for each backend (``registry/steps.py``): ``problem`` makes what the
algorithms work on, ``certificate`` proves the result. There are three exceptions:

- ``objective="bottleneck"`` is no search of its own. ``weighted/bottleneck.py`` calls
  `maximum_transversal` for each threshold; each of these calls takes the path, and proves its rank.
- Where the plan of the pattern lets each rank analyse the whole matrix, so does the weighted search
  (``_on_each_rank`` in ``weighted/weigh_mpi.py``): each rank takes the path of one process, on the
  CPU.
- The search ``first-rank`` over the MPI ranks of one machine takes the whole path of one process on
  the first rank, and proves its result there; the step *prove* of the ranks compares counts only.
"""
