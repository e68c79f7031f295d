"""Check sources → evaluate events → send deliveries → digest; the only place that sees all parts together.

Each step is driven by rows that the step before committed; it may be run twice, and be killed anywhere.

- `parts`: the wired parts;           - `checking`: due sources, side by side; those with contents one transaction each;
- `contents`: what a source brought;  - `recording`: a table's new state;   - `claiming`: posts, claims, verdicts;
- `ingest`: a local table;            - `evaluating`: waiting events → alerts and owed deliveries;
- `delivering`: owed deliveries → receivers;   - `digesting`: the daily digest;
- `one_pass`: all of it once.
"""

from watcher.pipeline.parts import Watcher

__all__ = ["Watcher"]
