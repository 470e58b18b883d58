"""One battery over every decoder, and each decoder against its formula written out."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load, save
from torch import Tensor

from topiceq.config import ModelConfig
from topiceq.corpus.vocab import END, PAD, START
from topiceq.errors import ConfigError
from topiceq.model.batches import Batch, Counts, pad, sparse
from topiceq.model.decoders import Decoder, Lstm, Sizes, TdLstm, TeLstm, Writer
from topiceq.model.joint import DECODERS
from topiceq.model.moe import Mixed, MoeLstm
from scipy.sparse import csr_matrix

K, H = 3, 5
WRITERS = [name for name, kind in DECODERS.items() if issubclass(kind, Writer)]
VARIANTS = [{}, {"tied": True, "embedding": H}, {"locked_dropout": True, "dropout": 0.5}]


def config(**changes: object) -> ModelConfig:
    given = {"topics": K, "state": H, "embedding": 4, "layers": 2, "symbols": 3} | changes
    return ModelConfig(**given)


def decoder(name: str, tokens: int = 6, **changes: object) -> Decoder:
    torch.manual_seed(0)
    made = DECODERS[name](config(**changes), Sizes(words=7, tokens=tokens, phrases=4))
    with torch.no_grad():
        for weight in made.parameters():
            weight.uniform_(-0.8, 0.8)
    return made.eval()


def writer(name: str, tokens: int = 6, **changes: object) -> Writer:
    made = decoder(name, tokens, **changes)
    assert isinstance(made, Writer)
    return made


def batch(equations: list[list[int]], phrases: list[list[int]] | None = None) -> Batch:
    flat = np.array([token for equation in equations for token in equation], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, equations)])
    none = sparse(csr_matrix((len(equations), 4), dtype=np.float32))
    counts = sparse(csr_matrix(np.array(phrases, dtype=np.float32))) if phrases else none
    return Batch(none, pad(flat, offsets, np.arange(len(equations))), counts)


def thetas(count: int) -> Tensor:
    torch.manual_seed(1)
    return torch.randn(count, K).softmax(-1)
