# SPDX-License-Identifier: BSD-3-Clause
"""Matchings of large weight in graphs: one file for each algorithm."""
