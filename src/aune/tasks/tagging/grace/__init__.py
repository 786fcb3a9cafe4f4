"""The methods of the GRACE campaign: pivot tags, correspondence tables, precision and decision, operating zones."""
