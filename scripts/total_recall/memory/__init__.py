"""Nemp-recall: facts from a JSON store, and how alive each of them is."""
