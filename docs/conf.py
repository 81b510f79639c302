"""How the documentation is built: ``make docs`` makes the generated pages first."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_tools"))

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
exclude_patterns = ["_tools", "_build", "benchmarks"]  # the record is part of benchmarks.md
smartquotes_action = "De"  # quotes stay straight: what looks like code can be copied
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# Formulas become MathML when the pages are built: no script, nothing from another host.
html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"ordeval {__version__}"
html_static_path = ["_static"]
html_css_files = ["ordeval.css"]
html_extra_path = ["_extra"]
html_copy_source = False
html_show_sphinx = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_line_continuation_character = "\\"

# scikit-learn adds these to every estimator, with links into its own pages.
autodoc_default_options = {
    "exclude-members": "set_fit_request, set_predict_request, set_score_request",
}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
napoleon_numpy_docstring = True
napoleon_google_docstring = False


# The front page is read elsewhere too, where there is no such file: only the site has this.
EXPLORER = """<section id="explore"><h2>Explore a matrix</h2>
<p><a href="explore.html">Open it on a page of its own</a></p>
<iframe class="explorer" src="explore.html" title="Explore a matrix" loading="lazy"></iframe>
</section>"""


def add_explorer(app: object, name: str, template: str, context: dict, doctree: object) -> None:
    """Show the explorer at the foot of the front page."""
    if name == "index":
        context["body"] += EXPLORER


def setup(app: object) -> None:
    """Formulas, docstrings as reStructuredText, and the explorer on the front page."""
    mathml.setup(app)
    app.connect("html-page-context", add_explorer)
    app.connect("autodoc-process-docstring", reference.tidy_docstring)
