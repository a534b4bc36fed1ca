# SPDX-License-Identifier: BSD-3-Clause
"""Reports on a result: its verification, and its summary for people and machines.

* `verify/` - an independent verifier of permutation files, plain NumPy
* `perm_arrays.py` - the arrays of a permutation file as they are, right or wrong
* `summary.py` - the facts of a decomposition in one small dictionary, and one line of advice
"""
