"""The processes that train one model together: one, or those that torchrun started.

Every process sees the same batches in the same order and takes its share of each, so the
effective batch does not depend on how many there are. The first one writes the files.
"""

import atexit
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel


@dataclass(frozen=True)
class Team:
    """Which of how many processes this is, and the device that it computes on."""

    rank: int
    ranks: int
    device: torch.device

    @property
    def leads(self) -> bool:
        """Whether this process writes the files."""
        return self.rank == 0

    def wrap(self, model: nn.Module, *, partly: bool) -> nn.Module:
        """The model with gradients averaged over the team; `partly` if some weights get none."""
        if self.ranks == 1:
            return model
        return DistributedDataParallel(model, find_unused_parameters=partly)

    def sum(self, values: Tensor) -> Tensor:
        """The values added up over the team."""
        if self.ranks > 1:
            dist.all_reduce(values)
        return values


def team() -> Team:
    """Join the team that torchrun started; without torchrun, be one alone."""
    cuda = torch.cuda.is_available()
    if not dist.is_available() or not dist.is_torchelastic_launched():
        return Team(0, 1, torch.device("cuda" if cuda else "cpu"))
    if not dist.is_initialized():  # once a process: a team that is left cannot be joined again
        dist.init_process_group("nccl" if cuda else "gloo")
        atexit.register(_leave)
    device = torch.device("cuda", dist.get_node_local_rank()) if cuda else torch.device("cpu")
    return Team(dist.get_rank(), dist.get_world_size(), device)


def _leave() -> None:
    """Leave together: a process that ends while another still talks to it may break off."""
    if not torch.cuda.is_available():  # gloo alone can wait with a limit
        with suppress(RuntimeError):  # another process has failed
            dist.monitored_barrier(timeout=timedelta(seconds=60))
    dist.destroy_process_group()


def one_thread() -> None:
    """One for each product: where several answers are made at once, more would only wait."""
    torch.set_num_threads(1)
