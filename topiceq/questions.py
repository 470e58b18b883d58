"""What may be asked: one question for each verb, with its parameters and their limits.

The only list of them: `TopicEq` takes the parameters as keyword arguments, the command line as
options, and HTTP as a JSON object, so all three say and refuse the same.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from topiceq.errors import QuestionError

SOMETHING: dict[str, Any] = {"pattern": r"\S"}  # JSON Schema for what is refused when it is empty
EquationText = Annotated[str, Field(max_length=20_000)]
OneEquation = Annotated[EquationText, Field(json_schema_extra=SOMETHING)]
ContextText = Annotated[str, Field(max_length=1_000_000, json_schema_extra=SOMETHING)]
SymbolText = Annotated[str, Field(max_length=200, json_schema_extra=SOMETHING)]
TOPICS: dict[str, Any] = {"propertyNames": {"pattern": "^[0-9]{1,9}$"}}
# arrays and numbers of numpy become those of Python
Theta = Annotated[
    int | Annotated[dict[int, float], Field(json_schema_extra=TOPICS)] | list[float],
    BeforeValidator(lambda theta: theta.tolist() if hasattr(theta, "tolist") else theta),
]
Count = Annotated[int, Field(ge=1, le=10_000)]

OF_THETA = "A topic by its number, a mixture of topics with their weights, or the weight of each."
OF_CONTEXT = "Prose around an equation, plain or LaTeX."
OF_EQUATION = "An equation in LaTeX, in one row or several."
OF_BY = (
    "What judges equations: the run's encoder of equations (the default), the likelihood of its "
    "decoder, as in the paper (slow, and too sure), or both, as they were weighed on valid when "
    "the encoder was taught (as slow)."
)
OF_TOP = "How many topics are told, the best first."
OF_CACHE = "Folder for what is fetched from arXiv. Default: topiceq/arxiv in the user's cache."


def given(**values: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of a question in which all of these parameters are given, and are such."""
    return {"required": [*values], "properties": values}


SOME: dict[str, Any] = {"not": {"type": "null"}}
MANY: dict[str, Any] = {"minimum": 2}


def one_of(*names: str) -> dict[str, Any]:
    """JSON Schema of a question in which at least one of these parameters is given."""
    return {"anyOf": [given(**{name: SOME}) for name in names]}


def never(*together: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of a question that is none of these."""
    return {"not": {"anyOf": [*together]}}


class Question(BaseModel):
    """A verb with its parameters; unknown ones are refused, so that no slip passes unnoticed.

    What `check` refuses, the JSON Schema of a question says too.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def check(self) -> None:
        """QuestionError if its parameters do not go together, whatever the run."""


class Infer(Question):
    """The topics of a context, an equation, both, or many equations."""

    model_config = ConfigDict(
        json_schema_extra=one_of("context", "equation", "equations")
        | never(
            given(equation=SOME, equations=SOME),
            given(by={"const": "encoder"}, decoder=SOME),
        )
    )

    context: ContextText | None = Field(default=None, description=OF_CONTEXT)
    equation: OneEquation | None = Field(default=None, description=OF_EQUATION)
    equations: Annotated[list[EquationText], Field(max_length=10_000)] | None = Field(
        default=None, description="Many equations in LaTeX."
    )
    by: Literal["encoder", "likelihood", "both"] | None = Field(default=None, description=OF_BY)
    decoder: str | None = Field(
        default=None, description="Which decoder judges equations by likelihood; else the first."
    )
    top: Count = Field(default=5, description=OF_TOP)

    def check(self) -> None:
        """Something to infer from, and either one equation or many."""
        if self.equation is not None and self.equations is not None:
            raise QuestionError("Give one equation or a list of equations, not both.")
        if self.equation is None and self.equations is None and self.context is None:
            raise QuestionError(
                "There is nothing to infer from. Give a context, an equation or both."
            )
        if self.by == "encoder" and self.decoder is not None:
            raise QuestionError("by = 'encoder' asks no decoder. Leave out one of the two.")


class InferFile(Question):
    """The topics of a file of equations, as a Parquet file with a row for each."""

    input: str = Field(
        description="Equations: Parquet, JSON lines (.jsonl) or text, one a line (.txt)."
    )
    output: str = Field(description="The Parquet file of their topics.")
    column: str = Field(default="equation", description="The column of the equations.")
    context_column: str | None = Field(
        default=None, description="A column of prose around each equation, if there is one."
    )
    keep: list[str] | None = Field(
        default=None, description="Columns of the input that the output has too, such as id."
    )
    all_topics: bool = Field(
        default=False, description="Also a column theta, with the probabilities of all topics."
    )
    by: Literal["encoder", "likelihood", "both"] | None = Field(default=None, description=OF_BY)
    top: Count = Field(default=5, description=OF_TOP)

    @property
    def needed(self) -> list[str]:
        """The columns of the input that are read."""
        asked = [self.column, self.context_column, *(self.keep or ())]
        return list(dict.fromkeys(name for name in asked if name is not None))


class Normal(Question):
    """The normal form of an equation, or of many: equal where equations look equal."""

    model_config = ConfigDict(
        json_schema_extra=one_of("equation", "equations")
        | never(given(equation=SOME, equations=SOME))
    )

    equation: OneEquation | None = Field(default=None, description=OF_EQUATION)
    equations: Annotated[list[EquationText], Field(max_length=10_000)] | None = Field(
        default=None, description="Many equations in LaTeX."
    )

    def check(self) -> None:
        """Either one equation or many."""
        if (self.equation is None) == (self.equations is None):
            raise QuestionError("Give one equation or a list of equations.")


class Generate(Question):
    """Equations from a topic, a mixture or a context, or on the way between two."""

    model_config = ConfigDict(
        json_schema_extra=never(
            given(greedy={"const": True}, beams={"minimum": 1}),
            given(greedy={"const": True}, count=MANY),
            given(beams={"minimum": 1}, count=MANY),
            # on the way to another topic it is greedy unless told otherwise
            given(to=SOME, count=MANY) | {"not": given(greedy={"const": False})},
            given(theta=SOME, context=SOME),
        )
    )

    theta: Theta | None = Field(default=None, description=OF_THETA)
    context: ContextText | None = Field(default=None, description=OF_CONTEXT)
    to: Theta | None = Field(default=None, description="Go on to this topic or mixture.")
    steps: Annotated[int, Field(ge=2, le=1_000)] = Field(
        default=5, description="Points on the way, both ends included."
    )
    prefix: Annotated[str, Field(max_length=2_000)] = Field(
        default="", description="What the equation begins with, such as 'L ='."
    )
    count: Count = Field(default=1, description="How many equations (at each point).")
    temperature: Annotated[float, Field(gt=0, le=1_000)] = Field(
        default=0.7, description="Below 1 safer, above 1 bolder; 1: as the model thinks."
    )
    top_p: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.9, description="Leave out unlikely tokens: keep this much probability."
    )
    best_of: Annotated[int, Field(ge=1, le=100)] = Field(
        default=8,
        description="By lot: write so many for each, keep the one that suits its topics best.",
    )
    greedy: bool | None = Field(
        default=None,
        description="The likeliest token each time, or by lot; by default by lot, greedy with to.",
    )
    beams: Annotated[int, Field(ge=0, le=100)] = Field(
        default=0, description="Search for this many most probable equations; 0: no search."
    )
    max_tokens: Annotated[int, Field(ge=1, le=2_000)] = Field(
        default=150, description="The longest equation, prefix included."
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(
        default=0, description="Another seed, other equations."
    )
    constrained: bool = Field(default=True, description="Only what is well formed.")

    @property
    def is_greedy(self) -> bool:
        """Whether the likeliest token is taken each time."""
        return self.to is not None and not self.beams if self.greedy is None else self.greedy

    @classmethod
    def plain(cls, **values: Any) -> "Generate":
        """By lot, as likely as the model thinks, and the first that is written."""
        return cls(**{"temperature": 1.0, "top_p": 1.0, "best_of": 1} | values)

    @property
    def tries(self) -> int:
        """How many equations are written for each that is kept."""
        return 1 if self.is_greedy or self.beams else self.best_of

    def check(self) -> None:
        """One way of writing, and one theta to begin with."""
        if self.is_greedy and self.beams:
            raise QuestionError("greedy and beams exclude each other. Give one of them.")
        if self.count > 1 and (self.is_greedy or self.beams):
            way = "greedy writes one equation"
            way = way if self.is_greedy else "beams says how many to return"
            raise QuestionError(
                f"count = {self.count} is not possible: {way}. Leave out one of the two."
            )
        if self.theta is not None and self.context is not None:
            raise QuestionError("Give theta or a context, not both.")


class Explain(Question):
    """What a symbol means, or every symbol of an equation."""

    model_config = ConfigDict(
        json_schema_extra=one_of("symbol", "equation") | never(given(theta=SOME, context=SOME))
    )

    symbol: SymbolText | None = Field(
        default=None, description="One symbol in LaTeX; without it, all symbols of the equation."
    )
    theta: Theta | None = Field(default=None, description=OF_THETA)
    equation: OneEquation | None = Field(default=None, description=OF_EQUATION)
    context: ContextText | None = Field(default=None, description=OF_CONTEXT)
    count: Count = Field(default=5, description="How many meanings, the best first.")
    by: Literal["lexicon", "alignment"] = Field(
        default="lexicon",
        description="lexicon: what the context says, else what articles say; alignment: the "
        "paper's decoder.",
    )

    def check(self) -> None:
        """Something to explain, and one theta."""
        if self.symbol is None and self.equation is None:
            raise QuestionError("There is nothing to explain. Give a symbol or an equation.")
        if self.theta is not None and self.context is not None:
            raise QuestionError("Give theta or a context, not both: a context tells its own theta.")


class Similar(Question):
    """The nearest equations of an index, where they stand, and their licence."""

    equation: OneEquation = Field(description=OF_EQUATION)
    count: Count = Field(default=10, description="How many equations, the nearest first.")
    field: Annotated[str, Field(max_length=200)] | None = Field(
        default=None, description="Only where articles of this field have it."
    )
    article: Annotated[str, Field(max_length=1_000)] | None = Field(
        default=None, description="Only where articles have it whose id contains this."
    )


class Annotate(Question):
    """An article with topics and meanings beside its equations."""

    article: str = Field(
        description="A file in LaTeX, Markdown, reStructuredText, HTML or Doxygen, a notebook, a "
        "folder or an archive that holds one article, or its id on arXiv, such as arXiv:1902.06034."
    )
    cache: str | None = Field(default=None, description=OF_CACHE)


Asked = TypeVar("Asked", bound=Question)


def ask(kind: type[Asked], parameters: Mapping[str, Any]) -> Asked:
    """The question with these parameters; QuestionError if that is none."""
    try:
        return kind(**parameters)
    except ValidationError as error:
        raise QuestionError(complaint(kind, error.errors()[0])) from None


def complaint(kind: type[Question], error: Any) -> str:
    """What is wrong with which value, and what is allowed: pydantic's first error in our words."""
    name, fields = str((*error["loc"], "")[0]), kind.model_fields
    if error["type"] == "extra_forbidden":
        near = get_close_matches(name, fields, 1)
        hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(fields)}."
        return f"There is no parameter '{name}' of {kind.__name__.lower()}. {hint}"
    if error["type"] == "missing" and name in fields:
        return f"The {name} is missing. Give one: {fields[name].description or name}"
    if error["type"] in ("string_too_long", "too_long"):
        what = "characters" if error["type"] == "string_too_long" else "entries"
        return f"{name} has more than {error['ctx']['max_length']:,} {what}. Give less."
    limits = limits_of(fields[name]) if name in fields else ""
    if limits and isinstance(error["input"], int | float):
        return f"{name} = {error['input']} is not possible. It must be {limits}."
    return f"{name or 'The question'} is not understood: {error['msg']}."


def limits_of(field: FieldInfo) -> str:
    """The least and the largest number that a parameter may be; nothing if it is no number."""
    bounds = {key: getattr(part, key) for part in field.metadata for key in ("gt", "ge", "le")
              if hasattr(part, key)}  # fmt: skip
    if "ge" in bounds:
        return f"from {bounds['ge']:,} to {bounds['le']:,}"
    return f"above {bounds['gt']:,} and at most {bounds['le']:,}" if bounds else ""
