"""What every package may use: types, text, tables, extras, writing of files."""
