# SPDX-License-Identifier: BSD-3-Clause
"""The machines: no mathematics here. `select.py` says what works on this one, and why not."""
