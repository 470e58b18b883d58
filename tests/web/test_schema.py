"""Whatever the OpenAPI document allows, and what it does not: never a server error."""

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode

from topiceq.api import TopicEq
from topiceq.web.app import create_app

few = settings(
    max_examples=8, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def api(trained: Path) -> schemathesis.BaseSchema:
    app = create_app(TopicEq.load(trained))
    return schemathesis.openapi.from_asgi("/openapi.json", app)


def ask(case: schemathesis.Case) -> None:
    answer = case.call()
    # what the run cannot answer, or not now, is an answer too
    assert answer.status_code < 500 or answer.status_code in (501, 503, 504), answer.text


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_question_breaks_the_server(api: schemathesis.BaseSchema, mode: GenerationMode) -> None:
    asked = 0
    for found in api.get_all_operations():
        operation = found.ok()
        if mode == GenerationMode.NEGATIVE and not (operation.body or operation.path_parameters):
            continue  # there is nothing to get wrong
        few(given(operation.as_strategy(generation_mode=mode))(ask))()
        asked += 1
    assert asked >= 6
