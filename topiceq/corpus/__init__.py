"""LaTeX in, a corpus of (equation, context) pairs out."""
