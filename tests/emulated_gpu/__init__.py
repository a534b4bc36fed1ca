# SPDX-License-Identifier: BSD-3-Clause
"""Every kernel on a machine without a GPU.

A stand-in for CuPy whose arrays are NumPy's, and fibers for the threads of a device
(``cuda_words.hpp``); the package runs as it is, on two small devices::

    python -m tests.emulated_gpu -m pytest -m gpu tests/transversal/test_gpu_certificate.py
    python -m tests.emulated_gpu -m tests.sanitized_gpu

BTFPERM_EMULATED_SANITIZE=1 builds the kernels with AddressSanitizer and UBSan. It takes g++ and an
x86-64 processor. What it says of time is nothing; a device stays the judge of the rest, too.
"""
