"""A decoder at work: whatever its state is made of, the rows of it follow the equations."""

import torch
from torch import Tensor

from topiceq.article.equation.rules import END, START
from topiceq.config import ModelConfig
from topiceq.model.decoders import Sizes, State, Writer
from topiceq.tasks.hypotheses import Hypotheses

TOKENS = 9


class Echo(Writer):
    """Expects the token that it read first, and remembers it with how many it has read."""

    needs_theta = False

    def step(
        self, token: Tensor, state: State | None, theta: Tensor | None
    ) -> tuple[Tensor, State | None]:
        first, read = (token, 0 * token) if state is None else state
        first = torch.where(first == START, token, first)
        logits = torch.zeros(len(token), TOKENS).index_put(
            (torch.arange(len(token)), first), torch.tensor(5.0)
        )
        return logits, (first, read + 1)


def test_a_state_is_any_tensors_with_a_row_for_each_equation() -> None:
    echo = Echo(ModelConfig(), Sizes(1, TOKENS, 1))
    equations = Hypotheses(echo, None, 3, None, torch.device("cpu"))
    equations.write([5, 6, 7])
    equations.keep([2, 0, 0])
    assert equations.log_p.argmax(-1).tolist() == [7, 5, 5]
    equations.write([END + 1] * 3)
    assert equations.ids == [[7, 3], [5, 3], [5, 3]]
    assert equations.log_p.argmax(-1).tolist() == [7, 5, 5]
    assert equations.state is not None and equations.state[1].tolist() == [3, 3, 3]
