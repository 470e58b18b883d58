"""What the OpenAPI document allows is answered, and what it does not is refused: every route.

In full, against a server that runs:  schemathesis run URL/openapi.json --checks all
"""

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from topiceq.api import TopicEq
from topiceq.web.app import VERBS, create_app

CONFIG = {
    "checks": {
        # what is no LaTeX, or no topic of this run, no schema can say; but never 422
        "positive_data_acceptance": {
            "expected-statuses": ["200", "400", "404", "429", "501", "503", "504"]
        },
        "negative_data_rejection": {"expected-statuses": ["400", "404", "405", "413", "422"]},
        "not_a_server_error": {"expected-statuses": ["2xx", "4xx", "501", "503", "504"]},
    }
}
few = settings(
    max_examples=6, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def api(trained: Path) -> schemathesis.BaseSchema:
    app = create_app(TopicEq.load(trained))
    config = SchemathesisConfig.from_dict(CONFIG)
    return schemathesis.openapi.from_asgi("/openapi.json", app, config=config)


def ask(case: schemathesis.Case) -> None:
    case.call_and_validate()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_route_keeps_to_its_schema(
    api: schemathesis.BaseSchema, mode: GenerationMode
) -> None:
    asked = 0
    for found in api.get_all_operations():
        operation = found.ok()
        if mode == GenerationMode.NEGATIVE and not (operation.body or operation.path_parameters):
            continue  # there is nothing to get wrong
        few(given(operation.as_strategy(generation_mode=mode))(ask))()
        asked += 1
    assert asked >= 6


@pytest.mark.parametrize("verb", VERBS)
def test_what_the_schema_allows_goes_together(api: schemathesis.BaseSchema, verb: str) -> None:
    """What `check` refuses, of parameters that exclude each other, the schema refuses too."""

    def check(case: schemathesis.Case) -> None:
        assert isinstance(case.body, dict)
        VERBS[verb](**case.body).check()

    operation = api[f"/api/{verb}"]["POST"]
    more = settings(few, max_examples=15)
    more(given(operation.as_strategy(generation_mode=GenerationMode.POSITIVE))(check))()
