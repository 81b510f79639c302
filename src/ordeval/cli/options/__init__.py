"""The options that commands share, and what their values mean."""
