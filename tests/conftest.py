"""Settings of the property tests: deterministic, so that a run can be repeated anywhere.

Linear algebra runs in one thread, which must be said before NumPy is loaded: on data as small as
those of the tests, threads cost several times what they gain, and tests run side by side anyway.

This file also puts its directory on the path, so that tests import `slow` and `strategies` by name.
"""

import os

from hypothesis import settings

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

settings.register_profile(
    "ordeval", derandomize=True, deadline=None, max_examples=50, print_blob=True
)
settings.load_profile("ordeval")
