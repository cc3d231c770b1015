"""The games by email: rules, log, clock, email and pages."""

__version__ = "0.2.0.dev0"
