"""What may be asked over HTTP: one model of the body for each verb, with its limits."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

EquationText = Annotated[str, Field(max_length=20_000, description="An equation in LaTeX.")]
ContextText = Annotated[str, Field(max_length=100_000, description="Prose, plain or LaTeX.")]
Mixture = dict[int, float]
Seed = Annotated[int, Field(ge=0, lt=2**31)]


class Question(BaseModel):
    """Unknown names are refused, so that a slip does not pass unnoticed."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Render(Question):
    """An equation to draw."""

    equation: EquationText


class Infer(Question):
    """A context, an equation, both, or many equations."""

    equation: EquationText | None = None
    equations: Annotated[list[EquationText], Field(max_length=50)] | None = None
    context: ContextText | None = None
    top: Annotated[int, Field(ge=1, le=1_000)] = 5


class Generate(Question):
    """Where to write from, and how."""

    topic: int | None = None
    theta: Mixture | None = None
    context: ContextText | None = None
    to: int | Mixture | None = None
    steps: Annotated[int, Field(ge=2, le=12)] = 5
    prefix: Annotated[str, Field(max_length=2_000)] = ""
    count: Annotated[int, Field(ge=1, le=20)] = 1
    temperature: Annotated[float, Field(gt=0, le=10)] = 1.0
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    greedy: bool | None = None
    max_tokens: Annotated[int, Field(ge=1, le=300)] = 150
    seed: Seed = 0
    constrained: bool = True


class Explain(Question):
    """A symbol under a theta, or an equation with or without its context."""

    symbol: Annotated[str, Field(max_length=200)] | None = None
    theta: int | Mixture | None = None
    equation: EquationText | None = None
    context: ContextText | None = None
    count: Annotated[int, Field(ge=1, le=50)] = 5


class Similar(Question):
    """An equation to find the like of."""

    equation: EquationText
    count: Annotated[int, Field(ge=1, le=100)] = 10
