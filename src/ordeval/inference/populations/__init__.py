"""Values of other populations than the items: the average over tasks, and partial truth."""
