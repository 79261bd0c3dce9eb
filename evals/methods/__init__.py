"""Opponents, one small module each: ``fit`` reads everybody's history, the scorer then scores items for some users."""
