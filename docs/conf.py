"""Configuration of Sphinx; ``make docs`` writes the generated pages first."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_tools"))

import landing  # noqa: E402
import mathml  # noqa: E402
import reference  # noqa: E402

from ordeval import __version__  # noqa: E402

project = "ordeval"
author = "The ordeval developers"
copyright = "the ordeval developers"  # noqa: A001 - Sphinx's name
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_tools", "_templates", "_build", "benchmarks"]  # included by benchmarks.md
smartquotes_action = "De"  # straight quotes, so that code can be copied
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# Formulas become MathML at build time: no script, nothing from another host.
html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"ordeval {__version__}"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["ordeval.css"]
html_extra_path = ["_extra"]
html_copy_source = False
html_show_sphinx = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_line_continuation_character = "\\"

# scikit-learn adds these methods to every estimator, with links to its own pages.
autodoc_default_options = {
    "exclude-members": "set_fit_request, set_predict_request, set_score_request",
}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
napoleon_numpy_docstring = True
napoleon_google_docstring = False


def show_landing(
    app: object, name: str, template: str, context: dict, doctree: object
) -> str | None:
    """Give the front page a template of its own; code hosts show the Markdown instead."""
    if name != "index":
        return None
    context.update(landing.context(HERE))
    return "landing.html"


def setup(app: object) -> None:
    """Connect formulas, docstrings and the front page."""
    mathml.setup(app)
    app.connect("html-page-context", show_landing)
    app.connect("autodoc-process-docstring", reference.tidy_docstring)
