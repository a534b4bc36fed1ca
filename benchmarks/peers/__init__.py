# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons with the packages that users have today, and with published times of other codes."""
