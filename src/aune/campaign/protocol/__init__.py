"""The rules of a campaign: its protocol file, phases, deadlines, and who may see what."""
