"""``python -m watcher`` is ``mlperf-watcher``."""

from watcher.cli import main

main()
