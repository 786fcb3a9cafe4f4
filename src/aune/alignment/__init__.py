"""One text on another: where the words and characters of a response's text lie in the key's. Knows no task."""
