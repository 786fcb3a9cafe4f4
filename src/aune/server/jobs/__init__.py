"""What takes long is done in a process of its own: jobs with named states, leases, limits, and one retry."""
