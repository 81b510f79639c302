"""Values that were recorded once, so that a change of the code that moves one of them is seen."""
