"""The records of a campaign: the hash-chained ledger, the state computed from it, and the store of files."""
