"""The demo: published rounds and posts replayed on this machine, against local stand-ins, through the same pipeline."""
