# SPDX-License-Identifier: BSD-3-Clause
"""The backend for NVIDIA GPUs, through CuPy, which is loaded when a GPU is first used.

A *driver* is the Python code that launches the kernels of one algorithm.

=================================  =============================================================
module                             contents
=================================  =============================================================
`backend`, `problem`               the backend, and the pattern with its matching on a device
`device`                           the GPUs of the machine
`compile`                          compiles the kernels from their sources
`arrays`, `staging`                copies and conversions of arrays
`readback`, `layout`               counters that kernels and drivers share, and their positions
`counting_sort`, `grouping`        sorts, and the members of each group
`by_levels`                        a search by levels in one launch, without polls by the host
`budget`                           the limits of a search
=================================  =============================================================

The ``.cuh`` files are headers for kernels of all packages:

=================================  =============================================================
header                             contents
=================================  =============================================================
`index`                            the index type, and loops over items
`visible`                          words that other threads of a launch read or write
`atomics`                          words that only the first thread may change
`warp`                             lanes of a warp: sums, prefix sums, joint atomic operations
`counting`                         counters
`frontier`, `append`               lists that grow, in global memory
`warp_queue`, `block_queue`        queues in shared memory
`lists`                            lists of very different lengths, divided among threads
`grid_barrier`, `running_totals`   a barrier and prefix sums in a cooperative launch
`by_levels`                        a search by levels in one launch
=================================  =============================================================
"""
