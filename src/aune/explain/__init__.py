"""From a comparison to what a person looks at: errors, what they cost, annotators side by side."""
