"""Tables of texts: the rows of CSV, and of the sheets of a workbook."""
