"""The spine: what a measure, a task, a corpus and a result are, and how one becomes the other."""
