"""The pages of a campaign: they ask `aune.campaign`, whose policy decides, and show what it says."""
