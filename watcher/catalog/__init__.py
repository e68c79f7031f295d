"""Names and their spellings: accelerators, systems, benchmarks, organisations, software, units and rounds.

`watcher.catalog.names` is the module to import; the YAML files beside it hold the names.
"""
