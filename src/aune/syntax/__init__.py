"""What formats of several tasks share, read once: records with their places. A task's format gives them meaning."""
