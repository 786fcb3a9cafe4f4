"""The simple taggers of the GRACE campaign. They learn from a tagged corpus, and tag the words of a key."""
