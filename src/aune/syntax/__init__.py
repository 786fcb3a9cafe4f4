"""What formats of several tasks share, read once: records with their lines and columns. A task gives them meaning."""
