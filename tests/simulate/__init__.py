"""Years of correspondence play under one injected clock: `python -m tests.simulate --help`."""
