"""Realm-recall: answers from a Markdown vault of decision records, which it never writes."""
