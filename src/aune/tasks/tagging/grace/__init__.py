"""What the GRACE campaign defined: pivot tags, correspondence tables, precision and decision, operating zones."""
