"""ordeval properties"""

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, put, rendered, show
from ordeval.cli.options.measures import read_measure
from ordeval.cli.options.option_groups import grouped
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import OneMetric, Out


@app.command(cls=Strict)
@grouped
def properties(out: Out, metric: OneMetric = None) -> None:
    """Show the properties of a measure, with the smallest counterexamples.

    Default: show ordinal invariance, monotonicity and imbalance (Amigó et al. 2020) of
    all measures.

    Example: ordeval properties weighted_kappa
    """
    chosen = out.chosen()
    check_files((), out.output)
    chosen_metric = read_measure(metric) if metric else None
    with progress() as shown:
        wanted = None if metric else oe.meta.PAPER
        found = oe.meta.check_properties(chosen_metric, wanted, progress=shown)
    if metric and chosen in (None, "text"):
        put(f"{rendered(found, chosen).rstrip()}\n\n{found.explain()}", out.output)
    else:
        show(found, out)
