"""ordeval metrics"""

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files, put, show
from ordeval.cli.options.measures import read_measure
from ordeval.cli.options.option_groups import grouped
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import OneMetric, Out


@app.command(cls=Strict)
@grouped
def metrics(out: Out, name: OneMetric = None) -> None:
    """List the measures, or explain one of them.

    Example: ordeval metrics oc_index
    """
    out.chosen()
    check_files((), out.output)
    if name is None:
        show(oe.metrics(), out)
    elif out.chosen() in (None, "text"):
        put(read_measure(name, whole=False).__doc__ or "", out.output)
    else:
        show(oe.Metrics((read_measure(name, whole=False),)), out)
