"""The `fern` command."""
