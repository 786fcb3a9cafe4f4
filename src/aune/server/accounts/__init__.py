"""Authentication: accounts, invitations, tokens, and a rate limit for sign-ins."""
