"""Total Recall: decisions, facts and past sessions, found and shown as they were written."""

__version__ = "0.1.0"
