# SPDX-License-Identifier: BSD-3-Clause
"""The site: ``sphinx-build -W docs site`` after ``pip install '.[docs]'``."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = PROJECT["name"]
author = copyright = "the btfperm developers"
version = release = PROJECT["version"]

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "command_reference",
    "outside_links",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]
exclude_patterns = ["_build", "_ext", "_templates", "examples"]
suppress_warnings = [
    "myst.header",  # pages on GitHub begin at any level
    "toc.empty_glob",
]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings describe the parameters
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
default_role = "code"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

html_theme = "pydata_sphinx_theme"
html_title = f"btfperm {version}"
html_static_path = []
html_show_sourcelink = False
html_theme_options = {
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "external_links": [{"name": name, "url": url} for name, url in PROJECT.get("urls", {}).items()],
    "show_toc_level": 2,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 3,
}
html_sidebars = {"index": [], "**": ["all-pages.html"]}
