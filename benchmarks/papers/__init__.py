# SPDX-License-Identifier: BSD-3-Clause
"""The measurements of three papers, repeated with the algorithms of the registry.

``grafting.py``: Azad, Buluç, Pothen (IPDPS 2015). ``gpu.py``: Deveci, Kaya, Uçar, Çatalyürek
(Euro-Par 2013, on augmenting paths, and ICPP 2013, on push-relabel).
"""
