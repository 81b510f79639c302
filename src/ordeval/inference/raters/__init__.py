"""What only raters, judges and partial truth need."""
