# SPDX-License-Identifier: BSD-3-Clause
"""NVIDIA GPUs through CuPy: what is there (`device`), kernels from their sources (`compile`),
arrays in and out (`arrays`, `staging`), counters that kernels and drivers share (`readback`, and
`layout` for the positions of their fields), sorts (`counting_sort`), members of groups
(`grouping`), searches without the host (`by_levels`), limits (`budget`). No mathematics; CuPy is
loaded when a matrix first goes to a GPU.

The ``.cuh`` files are for all kernels: `index` (the index type, strided loops), `visible` (words
that other threads of a launch read or write), `warp` (lanes: sums, scans, places taken together),
`counting` (counters), `frontier`, `append` and `warp_queue` (lists that grow), `lists` (lists of
very different lengths, shared among threads), `grid_barrier` (for blocks that stay) and
`by_levels` (a search level by level in one launch).
"""
