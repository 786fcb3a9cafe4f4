"""Evaluate the measures themselves: coherence, severity, agreement on the better system, bounds, use downstream.

After Popescu-Belis 1999 (§2.3: criteria for a measure to be coherent) and Ben Jannet 2015 (ch. 5: which measure of a
first step predicts the results of the next one).
"""
