"""Which store is it, and which folder? What a command opens."""
