# SPDX-License-Identifier: BSD-3-Clause
"""The MPI backend: one matrix over the ranks of a communicator.

Design
------
*Ownership.* Rank p owns a contiguous range of the columns and a contiguous range of the rows
(``slices.py``). The bounds are chosen so that each rank has about the same number of entries.
The owner of a column holds its row indices (`DistributedPattern`), its mate and its marks. The
owner of a row holds its mate and its marks, and its list of columns as soon as a step needs it.
A rank needs memory in proportion to the whole matrix only in these cases: the caller gives it the
whole matrix; the matrix is small, or all ranks are on one machine (see *One path*); the result is
gathered; or the first rank must read the file alone (``io/read_mpi.py``).

*Ghosts.* The ghosts of a rank are the rows that its columns contain and that other ranks own.
`Halo` (``halo.py``) gives the owned rows and the ghosts local numbers, which index the arrays of
marks and values, and copies values from the owners to the ghosts. A rank has at most as many ghosts
as entries.

*Local work first.* In one step of a search, each rank follows paths through its own rows and
columns, in the core (``transversal/owned_trees.hpp``,
``dulmage_mendelsohn/fine_square/spread.hpp``), until the paths reach rows or columns of other
ranks. Then the ranks exchange messages. So the number of exchanges grows with the number of times
that paths change their owner, not with their length. In a phase of the matching search, a rank
sends each ghost to its owner at most once. In the first steps of such a phase, each rank adds one
level to its trees, because more trees find a path in one phase if all trees are small. In later
steps, a rank adds more and more levels before the next exchange.

*Exchange.* ``exchange.py`` sends the data by MPI, and ``device_exchange.py`` by NCCL.
`Exchange.route` sends items to the owners of their indices: it sorts the items by owner, and each
rank sends one message to each other rank for which it has items. `Exchange.reply` returns one
answer for each received item. `Exchange.step` sends lines and adds up numbers of all ranks; a line
is the index of an item and a few more integers. If no rank has many lines for another one, the
lines and the numbers are sent in the same message.

*Failures* (``ranks.py``). A rank that waits for a message polls. A rank that fails sends a notice
to all others, which find it while they poll; then all ranks raise an error, see `Ranks.guarded`.
Each collective function and method is guarded in this way. If there are more ranks than cores, a
rank yields its core between two polls.

*GPUs.* With ``device=``, unless the first rank searches alone (see *One path*), the local steps of
the matching search run on the GPU of the rank. The Python code of the search is the same:
`DeviceTrees` (``transversal/owned_trees_gpu.py``) has the methods of the trees on the CPU, and
`DeviceExchange` (``device_exchange.py``) moves the lines, by NCCL or through the host. The matching
is copied to the host after each step of a call, so that certificate and decomposition run as on
ranks without GPUs.

*Reading.* Each rank parses its byte range of an unpacked Matrix Market file in coordinate format
(``file_ranges.py``) and routes the entries to the owners of their columns.

*One path.* `btfperm.path` runs the same steps as for the other backends. Two rules of
``auto_table.py`` avoid the search over ranks. By the first one, each rank analyses the whole matrix
with the algorithms for one process, and keeps the parts of the result that it owns: if there is one
rank, or if the matrix is so small that this takes less time than a few exchanges. By the second
one, if all ranks are on one machine, the first rank analyses a large matrix on all cores
(``transversal/augmenting/first_rank_mpi.py``), and the others receive their parts. A third rule
lets the first of several ranks with GPUs analyse a matrix of any size on its GPU.

==============  ===================================================================================
step            algorithm over ranks
==============  ===================================================================================
input           ``io/read_mpi.py``, ``pattern/distributed.py``
start, search   ``transversal/initial/*_mpi.py``, ``transversal/augmenting/ms_bfs_mpi.py``
certificate     ``transversal/certificate_mpi.py``: each rank checks its part of the matching and
                its entries
decomposition   ``dulmage_mendelsohn/*_mpi.py``: coarse search, trimming, forward and backward
                search, coloring; if only a small part remains, one rank decomposes it
weights         ``pattern/distributed_values.py``: each rank has the values of its own entries;
                ``weighted/*_mpi.py``: an auction, shifts between blocks, and their certificate
order           ``dulmage_mendelsohn/canonical_order_mpi.py``: the ranks count blocks by height,
                and rows and columns by block; from these counts, each rank computes the positions
                of its blocks, rows and columns
result          ``results/distributed.py``; ``io/save_mpi.py`` writes the pieces of each array in
                order, through one rank
==============  ===================================================================================
"""
