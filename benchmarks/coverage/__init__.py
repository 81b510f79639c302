"""Do intervals hold as often as they say, and do tests err as rarely? Simulated, and judged.

Data sets are drawn from known populations, all of a cell at once, and judged by the functions of
``ordeval.inference``; some of each cell also by the public functions, and the numbers must be the
same. ``populations`` draws, ``stacks`` judges many data sets at once, ``bounds`` says what must
hold; ``one_model``, ``two_models``, ``many_models``, ``subgroups``, ``raters``,
``proxies`` and ``targets`` simulate what ``tasks`` lists; ``record`` keeps it, part by part, and
``pages`` shows it.
``make coverage`` runs all of it and fails if a bound is broken.
"""
