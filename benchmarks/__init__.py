"""Words by side with the tools people use today, in one run, as ratios."""
