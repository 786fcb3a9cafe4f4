"""The runs of teams: uploads, checks, scoring, and the leaderboard."""
