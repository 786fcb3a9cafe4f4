"""The keys of a campaign: their files and texts."""
