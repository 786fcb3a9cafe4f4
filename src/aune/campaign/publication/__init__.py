"""Everything that a campaign publishes: results, pages, reports of runs, and notices."""
