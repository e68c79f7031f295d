"""The daemon: one pass whenever something is due, until it is told to stop.

What is due is in the state, never in a scheduler: `due` asks when the next thing is, `alarm` (APScheduler) only wakes
us, `loop` does the passes. So a late wake-up, a slept-through night or a changed clock costs nothing but time.

- `due`: when to wake next;            - `alarm`: waiting, signals, the last resort at the end;
- `loop`: the daemon itself;           - `loading`: config and rules → checked parts, at the start and at a reload;
- `snapshot`: how everything stands, taken after each pass;   - `health_page`: that, over HTTP on this machine;
- `metrics`: that, for Prometheus;     - `systemd`: words to systemd.
"""
