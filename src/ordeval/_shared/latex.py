"""Text in LaTeX, for every engine: what pdflatex does not know by itself becomes a command."""

import re
from typing import Any, Final

from ordeval._shared.text import on_a_line

_SMALL: Final = "αβγδεζηθικλμνξπρσςτυφχψω"
_SMALL_NAMES: Final = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma "
    "varsigma tau upsilon phi chi psi omega"
)
# Capital letters that LaTeX has; the others look like Latin ones.
_CAPITALS: Final = "ΓΔΘΛΞΠΣΥΦΨΩ"
_CAPITAL_NAMES: Final = "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
_GREEK: Final = dict(
    zip(_SMALL + _CAPITALS, f"{_SMALL_NAMES} {_CAPITAL_NAMES}".split(), strict=True)
)
_MATHEMATICS: Final = {
    "ο": "o",
    "±": r"\pm",
    "−": "-",
    "′": "'",
    "·": r"\cdot",
    "×": r"\times",
    "÷": r"\div",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "∞": r"\infty",
    "√": r"\surd",
    "∑": r"\sum",
    "∏": r"\prod",
    "∩": r"\cap",
    "∪": r"\cup",
    "∈": r"\in",
    "∅": r"\emptyset",
    "°": r"^\circ",
    "←": r"\leftarrow",
    "→": r"\to",
    "↑": r"\uparrow",
    "↓": r"\downarrow",
    "½": r"\frac12",
    "¼": r"\frac14",
    "¾": r"\frac34",
    "⅓": r"\frac13",
    "⅔": r"\frac23",
}
# What a text, or a part of it, becomes; nothing stands between neighbours that are no ligature.
LATEX: Final = {
    "": "{}",
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\xa0": "~",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "…": r"\ldots{}",
    **{letter: f"$\\{name}$" for letter, name in _GREEK.items()},
    **{letter: f"${command}$" for letter, command in _MATHEMATICS.items()},
    **{letter: f"$_{i}$" for i, letter in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    **{letter: f"$^{i}$" for i, letter in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{f"{letter}{i}": f"$\\{_GREEK[letter]}_{i}$" for letter in "κτ" for i in "abcw"},
}
# A letter with its index; neighbours that LaTeX would set as another character, such as two hyphens
# as a dash; single characters. Pages hand this to JavaScript, which reads it alike.
PATTERN: Final = "|".join(
    [
        "[κτ][abcw](?![a-z])",
        "(?<=-)(?=-)",
        "(?<=[,'`!?])(?=[,'`])",
        f"[{''.join(re.escape(c) if ord(c) < 128 else c for c in LATEX if len(c) == 1)}]",
    ]
)


def latex_text(text: Any) -> str:
    """Text with LaTeX's special characters escaped; τb becomes a tau with an index.

    >>> print(latex_text("κw ≥ 0.5 & more"))
    $\\kappa_w$ $\\ge$ 0.5 \\& more
    """
    # Compiled when something is shown, and kept.
    return re.sub(PATTERN, lambda found: LATEX[found[0]], on_a_line(text))


def latex_after(command: str, text: str) -> str:
    """A command that takes no argument, and text after it: a bracket there is no option."""
    return f"{command} {'{}' if text.startswith(('[', '*')) else ''}{text}".lstrip()
