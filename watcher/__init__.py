"""mlperf-watcher: tells people, once and within minutes, that an MLPerf result that matters to them is public."""

__version__ = "0.1.0"
