# SPDX-License-Identifier: BSD-3-Clause
"""The sections about direct solvers: KLU and SuperLU with and without an order of btfperm."""
