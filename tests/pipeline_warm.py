"""Imported once by the server that forks the processes of `tests.pipeline_stage`, so that each starts warm.

It imports what a pass over a new round needs and reads the names, which are then there in every fork.
"""

from importlib import import_module

from watcher.catalog.names import load

for _name in (
    "watcher.figures", "watcher.notifiers.slack", "watcher.notifiers.webhook", "watcher.parse.summary",
    "watcher.pipeline.briefing", "watcher.pipeline.checking", "watcher.pipeline.delivering", "watcher.pipeline.digest_facts", "watcher.pipeline.digesting", "watcher.pipeline.evaluating",
    "watcher.render.alert", "watcher.render.digest", "watcher.rules.explain", "watcher.sources.results_repos",
):  # fmt: skip
    import_module(_name)
load()
