# SPDX-License-Identifier: BSD-3-Clause
"""The MPI backend: one matrix over the ranks of a communicator.

Design
------
*Ownership.* Rank p owns a contiguous range of the columns and a contiguous range of the rows
(``slices.py``). The bounds are chosen so that each rank has about the same number of entries.
The owner of a column holds its row indices (`DistributedPattern`), its mate and its marks; the
owner of a row holds its mate and its marks, and its list of columns as soon as a step needs it.
A rank needs memory in proportion to the whole matrix only if the caller gives it the whole matrix,
the matrix is small or all ranks are on one machine (*One path*), the result is gathered, or the
first rank must read the file alone (``io/read_mpi.py``).

*Ghosts.* The rows of other ranks in the columns of a rank are its ghosts. `Halo` (``halo.py``)
numbers owned rows and ghosts locally, so that arrays of marks and values are indexed by local
numbers, and gives ghosts the values of their owners. A rank has at most as many ghosts as entries.

*Local work first.* A step of a search follows paths through the rows and columns of the rank, in
the core (``transversal/owned_trees.hpp``, ``dulmage_mendelsohn/fine_square/spread.hpp``), until
they leave it. So the number of exchanges grows with the number of times that paths change their
owner, not with their length. In a phase of the matching search a rank sends a ghost at most once.
The first steps of such a phase are levels of all ranks, because more trees find a path in one phase
if all are small; the later steps go deeper and deeper inside a rank.

*Exchange.* ``exchange.py`` sends the data by MPI, and ``device_exchange.py`` by NCCL.
`Exchange.route` sends items to the owners of their indices: the items are sorted by owner and
travel as one message per pair of ranks. `Exchange.reply` returns one answer for each received item.
`Exchange.step` sends lines (a position at the receiver and a few integers) and adds up numbers of
all ranks; if no pair of ranks has many lines, lines and numbers travel in the same message.

*Failures* (``ranks.py``). Every wait is a poll: a rank that fails sends a notice to all others,
which find it while they wait, and all ranks raise an error, see `Ranks.guarded`. Each collective
function and method is guarded in this way. If there are more ranks than cores, the poll yields the
core between two tests.

*GPUs.* With ``device=``, the local steps of the matching search run on the GPU of the rank. The
driver of the search is the same: `DeviceTrees` (``transversal/owned_trees_gpu.py``) has the methods
of the trees on the CPU, and `DeviceExchange` (``device_exchange.py``) moves the lines, by NCCL or
through the host. The matching is on the host between two steps of a call, so that certificate and
decomposition are those of ranks without GPUs.

*Reading.* Each rank parses its byte range of an unpacked Matrix Market file in coordinate format
(``file_ranges.py``) and routes the entries to the owners of their columns.

*One path.* `btfperm.path` runs the same steps as for the other backends. By a rule of
``auto_table.py``, each rank analyses the whole matrix by the serial engine if there is one rank, or
if the matrix is so small that a few exchanges take longer; it then keeps the slices that it owns.
By another rule, the first rank analyses a large matrix on all cores if all ranks are on one machine
(``transversal/augmenting/first_rank_mpi.py``), and the others receive their slices.

==============  ===================================================================================
step            algorithm over ranks
==============  ===================================================================================
input           ``io/read_mpi.py``, ``pattern/distributed.py``
start, search   ``transversal/initial/*_mpi.py``, ``transversal/augmenting/ms_bfs_mpi.py``
certificate     ``transversal/certificate_mpi.py``: each rank checks its pairs and its entries
decomposition   ``dulmage_mendelsohn/*_mpi.py``: coarse search, trimming, forward and backward
                search, coloring; a small rest on one rank
weights         ``pattern/distributed_values.py``: each rank has the values of its own entries;
                ``weighted/*_mpi.py``: an auction, shifts between blocks, and their certificate
order           ``dulmage_mendelsohn/canonical_order_mpi.py``: counts of blocks and members, keyed
                by height and by block, give each rank the positions of what it owns
result          ``results/distributed.py``; ``io/save_mpi.py`` writes the pieces of each array in
                order, through one rank
==============  ===================================================================================
"""
