"""The equations of a corpus that are most like a given one."""

from topiceq.tasks.similar.index import Index, load_index
from topiceq.tasks.similar.search import Similar, build_index, similar

__all__ = ["Index", "Similar", "build_index", "load_index", "similar"]
