"""Uncertainty: intervals, paired tests, rankings, rank correlation, agreement.

Everything here sees only count matrices (a row per unit, usually a document), so it works for every measure. Draws come
from a generator with a fixed seed, and units are put in the order of their names before anything is drawn: neither the
order of the files nor the number of processes changes a digit.
"""
