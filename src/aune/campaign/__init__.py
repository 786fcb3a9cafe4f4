"""An evaluation campaign, from the call to the archive: everything but its pages, in plain Python.

A campaign is a folder: `campaign.toml` (the protocol), a content-addressed store, and a ledger to which every event is
appended and of which everything else is computed. Start reading at `protocol`, `visibility` and `ledger`.
"""
