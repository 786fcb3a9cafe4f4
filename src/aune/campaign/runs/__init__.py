"""Runs of teams: uploads, checks, scoring, and the leaderboard."""
