# SPDX-License-Identifier: BSD-3-Clause
# The CPU core, compiled from every room's bind.cpp: plain arrays in, plain arrays out.
from typing import Any

def __getattr__(name: str) -> Any: ...
