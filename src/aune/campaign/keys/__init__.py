"""Keys of a campaign: their files, texts, and edits of their items."""
