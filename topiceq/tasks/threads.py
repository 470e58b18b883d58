"""How many threads torch uses for one product."""

import torch


def one_thread() -> None:
    """One for each: where several answers are made at once, threads would only wait for each
    other."""
    torch.set_num_threads(1)
