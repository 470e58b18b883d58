"""A run and held-out pairs in, numbers out."""
