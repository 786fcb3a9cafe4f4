"""The server: Django, and nothing else in the house knows it.

`site` says where a server lives, `settings` tells Django, `startup` runs it. Three apps: `accounts` (who somebody is),
`workbench` (texts, layers, events) and `jobs` (what takes long, in a process of its own). Views are thin: what they
show is computed in `aune.workbench` and `aune.campaign`, which know no Django.
"""
