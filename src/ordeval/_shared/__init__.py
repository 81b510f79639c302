"""What every room may use and none owns: types, text, tables, extras, writing of files."""
