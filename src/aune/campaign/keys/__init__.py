"""Keys of a campaign: their files and texts."""
