"""Any source of labels to raw counts. Knows no measure."""
