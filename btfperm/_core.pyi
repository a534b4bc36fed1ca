# SPDX-License-Identifier: BSD-3-Clause
# The CPU core: plain arrays in, plain arrays out. Each package binds its functions in its bind.cpp.
from types import ModuleType

compiler: str
backends: ModuleType
dulmage_mendelsohn: ModuleType
io: ModuleType
pattern: ModuleType
ranks: ModuleType
transversal: ModuleType
ordering: ModuleType
weighted: ModuleType
preorder: ModuleType
diagnosis: ModuleType
