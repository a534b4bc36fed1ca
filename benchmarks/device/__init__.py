# SPDX-License-Identifier: BSD-3-Clause
"""btfperm on a GPU: its own engine, all answers, the decomposition, and totals with transfers."""
