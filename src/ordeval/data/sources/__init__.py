"""Where data is read: frames, files by format, joins and long tables."""
