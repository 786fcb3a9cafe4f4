"""The archive of a campaign, its verification, and backups."""
