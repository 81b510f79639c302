"""Settings of the property tests: deterministic, so that a run can be repeated anywhere.

This file also puts its directory on the path, so that tests import `slow` and `strategies` by name.
"""

from hypothesis import settings

settings.register_profile(
    "ordeval", derandomize=True, deadline=None, max_examples=50, print_blob=True
)
settings.load_profile("ordeval")
