"""The pages of a campaign: they show what `aune.campaign` computes and what its policy lets each viewer see."""
