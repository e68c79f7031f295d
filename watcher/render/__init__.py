"""From alerts and figures to what people read: messages, digests, terminal tables and plots."""
