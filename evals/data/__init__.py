"""Loaders: one module per data set, each giving users' baskets in order of time."""
