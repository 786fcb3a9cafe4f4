"""The normalisation of words before the comparison, and their pronunciation."""
