"""The server: the only package of aune that imports Django.

`site` describes a server, `settings` configures Django and `startup` runs the server. There are three apps: `accounts`
(authentication), `workbench` (texts, layers, events) and `jobs` (long computations, in a separate process). Views are
thin: what they show is computed in `aune.workbench` and `aune.campaign`, which do not depend on Django.
"""
