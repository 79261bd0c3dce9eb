"""The terminal screens. None yet: this package keeps their place, so that the import rules hold from the first day."""
