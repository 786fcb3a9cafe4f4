"""What happened in a campaign: the hash-chained ledger, the state it gives, and the store of files."""
