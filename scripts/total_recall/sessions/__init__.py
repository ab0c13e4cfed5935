"""cocorecall: past sessions, word for word, with citations."""
