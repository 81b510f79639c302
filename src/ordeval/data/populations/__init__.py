"""Data that stand for others: target shares of classes and strata, and partial truth."""
