# SPDX-License-Identifier: BSD-3-Clause
"""Measurements over MPI ranks: `scaling` starts the ranks, `worker` runs on each of them, and
`model` predicts the time on other numbers of ranks."""
