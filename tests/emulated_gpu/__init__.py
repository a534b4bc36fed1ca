# SPDX-License-Identifier: BSD-3-Clause
"""Every kernel on a machine without a GPU.

The package runs unchanged on two small emulated devices. A stand-in replaces CuPy by arrays of
NumPy, and fibers replace the threads of a device (``cuda_words.hpp``)::

    python -m tests.emulated_gpu -m pytest -m gpu tests/transversal/test_gpu_certificate.py
    python -m tests.emulated_gpu -m tests.sanitized_gpu

BTFPERM_EMULATED_SANITIZE=1 compiles the kernels with AddressSanitizer and UBSan. The emulation
needs g++ and an x86-64 processor. Its times mean nothing, and it does not replace tests on a real
device.
"""
