"""An evaluation campaign, from the call to the archive: everything except the web pages, in plain Python.

A campaign is a folder with `campaign.toml` (the protocol), a content-addressed store, and a ledger to which every
event is appended. All state is computed from the ledger. Start reading at `protocol`, `visibility` and `ledger`.
"""
