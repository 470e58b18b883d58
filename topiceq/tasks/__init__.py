"""Tasks: a run and a question in, an answer out."""
