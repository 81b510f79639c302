"""What is handed to the user: typed facts that print, export and conclude."""
