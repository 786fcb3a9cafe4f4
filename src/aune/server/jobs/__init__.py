"""Background jobs, which run in a separate process with named states, leases, limits, and one retry."""
