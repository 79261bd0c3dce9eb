"""Measurements: one command prints each table. ``python -m evals NAME [--json]``."""
