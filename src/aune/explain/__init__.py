"""From a comparison to what users look at: errors, their costs, annotators side by side."""
