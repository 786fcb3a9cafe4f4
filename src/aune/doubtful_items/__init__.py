"""The items of a key that deserve a second look: the evidence against each, and the effect of a correction."""
