"""An article with what a run knows about its equations beside them, as one page."""

from topiceq.tasks.annotate.annotated import Annotated
from topiceq.tasks.annotate.article import annotate

__all__ = ["Annotated", "annotate"]
