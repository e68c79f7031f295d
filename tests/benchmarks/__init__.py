"""How fast and how small, as ratios measured side by side in one run on one machine; see docs/performance.md."""
