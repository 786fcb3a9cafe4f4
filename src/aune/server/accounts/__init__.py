"""Who somebody is: accounts, invitations, tokens, and how often one may guess."""
