"""How a judge says in English that it will not answer.

Only what is listed here, or what the user declares, is a refusal. All else that was not read is
unreadable.
"""

from __future__ import annotations

import re
from typing import Final

_GIVING: Final = (
    r"(?:answer|assess|assign|assist|comply|complete|determine|do|evaluate|fulfill?|give|grade|"
    r"help|judge|offer|process|provide|rank|rate|respond|review|score|tell)"
)
_GIVEN: Final = r"(?:answered|assessed|determined|evaluated|given|graded|judged|rated|scored)"
_NOT: Final = (
    r"(?:can ?not|can't|could not|couldn't|will not|won't|(?:am|'m) (?:unable|not (?:able|allowed|"
    r"permitted|willing|going)) to)"
)
_REFUSAL: Final = re.compile(
    # I cannot rate this; I'm not able to fairly judge it; I decline; it cannot be rated
    rf"\bi ?{_NOT}(?: \w+){{0,2}} {_GIVING}\b|\bi (?:must |have to )?(?:decline|refuse)\b|"
    rf"\b(?:can ?not|can't|could not|couldn't) be {_GIVEN}\b|"
    # Sorry; as an AI
    r"\A\W*+(?:i(?:'m| am) )?(?:very |so )?sorry\b|\A\W*+i apologi[sz]e\b|"
    r"\bas an? (?:ai|(?:ai |large )?language model)\b|"
    # Score: N/A
    r"(?:\A|[:=])\W{0,9}(?:n ?/ ?a|not applicable|no (?:score|rating|grade|answer)|refused)\W*+\Z"
)


def refuses(text: str) -> bool:
    """Whether a text without a label says that there will be none."""
    said = re.sub(r"[*_`]", " ", text.casefold().replace("’", "'"))
    return _REFUSAL.search(" ".join(said.split())) is not None
