"""The page, used as a person would: type, click, slide, drop a file, go back, share an address."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake import EXAMPLES, Shape, topics
from fastapi import FastAPI
from playwright.sync_api import Locator, Page, expect

from topiceq.web.app import VERBS, Render

Opener = Callable[..., Page]
Asked = list[tuple[str, Shape]]

SCHROEDINGER = EXAMPLES["Schrödinger"]
QUANTUM = 57  # the fake's topic of quantum states

OVERLAPS = """() => {
  // what is drawn: fonts claim more room above and below than their letters take
  const box = (text) => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    const half = (text.getAttribute("font-size") * text.children.length) / 2;
    return { left, right, top: (top + bottom) / 2 - half, bottom: (top + bottom) / 2 + half };
  };
  const aside = (a, b) => a.right <= b.left || b.right <= a.left;
  const meet = (a, b) => !aside(a, b) && a.top < b.bottom && b.top < a.bottom;
  const boxes = [...document.querySelectorAll(".labels text")].map(box);
  const overlaps = boxes.filter((a, i) => boxes.some((b, j) => j < i && meet(a, b))).length;
  return [boxes.length, overlaps];
}"""


def heading(page: Page) -> Locator:
    return page.locator("h1:visible")


def section(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name)


def questions_of(asked: Asked, verb: str) -> list[Shape]:
    return [question for name, question in asked if name == verb]


# -- topics -------------------------------------------------------------------------------------


def test_the_map_shows_every_topic_and_its_labels_do_not_overlap(page: Page) -> None:
    expect(page.locator(".map a")).to_have_count(100)
    expect(page.locator(".topics li")).to_have_count(100)
    labels, overlaps = page.evaluate(OVERLAPS)
    assert labels > 40
    assert overlaps == 0
    largest = max(topics(), key=lambda one: float(one["share"]))
    radius = "c => Math.max(...c.map(x => x.r.baseVal.value))"
    own = page.locator(f'.map a[data-topic="{largest["topic"]}"] .dot').evaluate(
        "c => c.r.baseVal.value"
    )
    assert own == page.locator(".map .dot").evaluate_all(radius)


def test_a_circle_opens_its_topic_and_back_leads_to_the_list(page: Page) -> None:
    page.locator(f'.map a[data-topic="{QUANTUM}"]').click()
    expect(heading(page)).to_have_text("quantum states")
    expect(page).to_have_url(re.compile("#/topics/57$"))
    expect(page).to_have_title("quantum states · TopicEq")
    expect(heading(page)).to_be_focused()
    expect(page.locator(".map a.chosen")).to_have_count(1)
    expect(page.locator(".map .lines line")).to_have_count(6)
    page.go_back()
    expect(heading(page)).to_have_text("A map of 100 topics")
    expect(page.locator('.topics a[href="#/topics/57"]')).to_be_focused()


def test_a_topic_tells_words_symbols_equations_and_relatives(page: Page, asked: Asked) -> None:
    page.get_by_role("link", name=re.compile("^quantum states")).last.click()
    expect(page.locator(".words li")).to_have_count(20)
    expect(page.locator(".words li").first).to_have_text(re.compile(r"state\s+10 %"))
    symbols = section(page, "Symbols and what they mean here")
    expect(symbols.get_by_text("wave function").first).to_be_visible()
    typical = section(page, "Typical equations of the corpus")
    expect(typical.locator("li:visible math")).to_have_count(5)
    expect(typical.locator("li").first).to_contain_text("textbook/chapter1, line 12")
    typical.get_by_role("button", name="Show all 6").click()
    expect(typical.locator("li:visible")).to_have_count(6)
    written = section(page, "Written by the model")
    expect(written.locator("math")).to_have_count(3)
    written.get_by_role("button", name="Write three more").click()
    expect(written.locator("math")).to_have_count(6)
    assert [q["seed"] for q in questions_of(asked, "generate")] == [0, 1]
    before = heading(page).inner_text()
    section(page, "Related topics").get_by_role("link").first.click()
    expect(heading(page)).not_to_have_text(before)
    page.go_back()
    expect(heading(page)).to_have_text(before)


@pytest.mark.parametrize("sought", ["qubit", "\\psi"])
def test_topics_are_found_by_word_and_by_symbol(page: Page, sought: str) -> None:
    page.get_by_label("Find a word or a symbol").fill(sought)
    shown = page.locator(".topics li:visible")
    own = [one for one in topics() if sought in [*one["words"], *one["tokens"]]]
    expect(shown).to_have_count(len(own))
    expect(page.locator(".search output")).to_have_text(f"{len(own)} of 100")
    expect(page.locator(".map a:not(.dimmed)")).to_have_count(len(own))
    page.reload()
    expect(shown).to_have_count(len(own))
    page.get_by_label("Find a word or a symbol").fill("no such word")
    expect(page.get_by_text("No topic has this")).to_be_visible()


def test_the_keyboard_walks_over_the_map(page: Page) -> None:
    circles = page.locator(".map a")
    expect(circles).to_have_count(100)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Find a word or a symbol")).to_be_focused()
    page.keyboard.press("Tab")  # one stop for all its circles
    first = page.locator('.map a[tabindex="0"]').get_attribute("data-topic")
    expect(page.locator(f'.map a[data-topic="{first}"]')).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(f'.map a[data-topic="{first}"]')).not_to_be_focused()
    expect(page.locator(".map a:focus")).to_have_count(1)
    expect(page.locator(".tag text")).to_be_visible()
    second = page.locator(".map a:focus").get_attribute("data-topic")
    assert second is not None
    page.keyboard.press("Enter")
    expect(heading(page)).to_have_text(topics()[int(second)]["label"])
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Mix with another topic")).to_be_focused()


def test_a_map_that_is_drawn_again_keeps_the_focus(page: Page) -> None:
    circle = page.locator(f'.map a[data-topic="{QUANTUM}"]')
    circle.focus()
    tag = page.locator(".tag text")
    expect(tag).to_be_visible()
    before = page.locator(".map").get_attribute("viewBox")
    page.set_viewport_size({"width": 1100, "height": 700})
    expect(page.locator(".map")).not_to_have_attribute("viewBox", before or "")
    expect(circle).to_be_focused()
    expect(tag).to_be_visible()


def test_the_content_can_be_skipped_to_before_the_page_is_ready(visit: Opener) -> None:
    page = visit("#main")  # where the link leads by itself
    expect(heading(page)).to_have_text("A map of 100 topics")
    expect(page).to_have_url(re.compile("#/topics$"))


def test_a_topic_that_does_not_exist_is_said(visit: Opener, expected: set[int]) -> None:
    expected.add(404)
    page = visit("#/topics/120")
    expect(page.get_by_role("alert")).to_have_text(re.compile("Topic 120 does not exist"))
    page.get_by_role("link", name="All topics").click()
    expect(heading(page)).to_have_text("A map of 100 topics")


# -- equation -----------------------------------------------------------------------------------


def test_an_equation_is_drawn_as_it_is_typed(
    visit: Opener, asked: Asked, expected: set[int]
) -> None:
    expected.add(400)  # on a slow machine it is asked between two letters, with an open brace
    page = visit("#/equation")
    page.get_by_label("An equation in LaTeX").press_sequentially(SCHROEDINGER, delay=5)
    expect(page.locator(".plate math")).to_contain_text("Ψ")
    expect(page.get_by_role("radio").first).to_be_checked()
    expect(section(page, "Topics").locator(".choice").first).to_contain_text("quantum")
    expect(section(page, "Symbols").locator("dt")).to_have_count(4)
    expect(section(page, "Similar equations").locator("li")).to_have_count(8)
    assert len(questions_of(asked, "render")) < len(SCHROEDINGER) / 2
    assert questions_of(asked, "similar")[-1]["equation"] == SCHROEDINGER


def test_another_topic_changes_the_meanings_and_back_changes_them_back(visit: Opener) -> None:
    page = visit("#/equation")
    page.get_by_role("link", name="Schrödinger").click()
    meaning = section(page, "Symbols").locator("dd").first
    before = meaning.inner_text()
    second = page.get_by_role("radio").nth(1)
    second.check()
    expect(meaning).not_to_have_text(before)
    expect(page).to_have_url(re.compile(rf"topic={second.get_attribute('value')}$"))
    after = meaning.inner_text()
    page.go_back()
    expect(meaning).to_have_text(before)
    expect(page.get_by_role("radio").first).to_be_checked()
    page.go_forward()
    page.reload()
    expect(page.get_by_label("An equation in LaTeX")).to_have_value(SCHROEDINGER)
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    expect(meaning).to_have_text(after)


def test_an_error_is_shown_where_it_is(visit: Opener, expected: set[int]) -> None:
    expected.add(400)
    page = visit("#/equation")
    field = page.get_by_label("An equation in LaTeX")
    field.fill("x^{2} + y^{2}} = 1")
    expect(page.locator(".error")).to_have_text(
        "At character 14: '}' closes nothing. Mend the LaTeX there."
    )
    expect(page.locator(".mirror mark")).to_have_text("}")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile("closes nothing"))
    field.fill("x^{2} + y^{2} = 1")
    expect(page.locator(".error")).to_be_empty()
    expect(page.locator(".plate math")).to_be_visible()
    field.fill("x^{2} + \ny^{2")
    expect(page.locator(".error")).to_contain_text("Line 2, character 3")
    expect(page.locator(".stale .plate math")).to_be_visible()


def test_a_question_is_given_up_when_the_next_one_comes(visit: Opener, asked: Asked) -> None:
    page = visit("#/equation")
    field = page.get_by_label("An equation in LaTeX")
    with page.expect_event("requestfailed"):
        field.fill("a = \\slow b")
        expect(page.locator(".plate")).to_have_attribute("aria-busy", "true")
        field.fill("E = m c^{2}")
    expect(page.locator(".plate math")).to_contain_text("E")
    expect(page.locator(".plate")).not_to_have_attribute("aria-busy", "true")


def test_a_fault_of_the_server_can_be_tried_again(
    visit: Opener, asked: Asked, expected: set[int]
) -> None:
    expected |= {500, 503}
    page = visit("#/equation")
    page.get_by_label("An equation in LaTeX").fill("a = \\crash b")
    alert = page.locator(".plate").get_by_role("alert")
    expect(alert).to_contain_text("Internal Server Error")
    alert.get_by_role("button", name="Try again").click()
    expect(page.locator(".plate math")).to_be_visible()
    section(page, "Topics").get_by_role("button", name="Try again").click()
    expect(page.get_by_role("radio").first).to_be_checked()
    page.get_by_label("An equation in LaTeX").fill("a = \\busy b")  # asked again by itself
    expect(page.locator(".plate math")).to_contain_text("busy")


def test_a_server_that_is_gone_is_said(visit: Opener, expected: set[int]) -> None:
    expected.add(0)
    page = visit("#/context")
    page.route("**/api/infer*", lambda route: route.abort())
    page.get_by_label("A paragraph").fill("A matrix with real eigenvalues.")
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
    page.unroute("**/api/infer*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("radio").first).to_be_checked()


# -- context ------------------------------------------------------------------------------------


def test_a_paragraph_gets_topics_speaking_words_and_equations(visit: Opener, asked: Asked) -> None:
    page = visit("#/context")
    page.get_by_role("link", name="A quantum state").click()
    expect(page.locator(".choice").first).to_contain_text("quantum states")
    passage = section(page, "Words that speak for it")
    expect(passage.locator("mark", has_text="qubit")).to_be_visible()
    expect(section(page, "Equations written for it").locator("math")).to_have_count(3)
    assert questions_of(asked, "generate")[0]["context"].startswith("The qubit is prepared")
    page.get_by_role("radio").nth(1).check()
    expect(passage.locator("mark", has_text="qubit")).to_have_count(0)
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    expect(page.get_by_label("A paragraph")).to_have_value(re.compile("^The qubit is prepared"))


def test_a_typed_paragraph_is_in_the_address(visit: Opener) -> None:
    page = visit("#/context")
    page.get_by_label("A paragraph").press_sequentially("a matrix & its determinant?", delay=5)
    expect(page.locator(".passage")).to_have_text("a matrix & its determinant?")
    page.reload()
    expect(page.get_by_label("A paragraph")).to_have_value("a matrix & its determinant?")
    page.get_by_label("A paragraph").fill("")
    expect(page.locator(".results")).to_be_hidden()


# -- mix ----------------------------------------------------------------------------------------


def test_sliders_move_theta_and_the_equations(visit: Opener, asked: Asked) -> None:
    page = visit(f"#/mix?t={QUANTUM}:50,83:50")
    expect(section(page, "Equations").locator("math")).to_have_count(4)
    expect(page.locator(".film math")).to_have_count(5)
    page.get_by_label("differential equations", exact=True).focus()
    with page.expect_response("**/api/generate*"):
        page.keyboard.press("End")
    expect(page.locator("output[for=weight83]")).to_have_text("67 %")
    expect(page).to_have_url(re.compile(r"t=57%3A50%2C83%3A100"))
    assert questions_of(asked, "generate")[-1]["theta"] == pytest.approx({"57": 1 / 3, "83": 2 / 3})
    with page.expect_response("**/api/generate*"):
        page.get_by_label("Temperature").fill("1.2")
    with page.expect_response("**/api/generate*"):
        page.get_by_role("button", name="Draw again").click()
    last = questions_of(asked, "generate")[-1]
    assert (last["temperature"], last["seed"]) == (1.2, 1)
    expect(page).to_have_url(re.compile("temperature=1.2&seed=1"))


def test_topics_are_added_and_removed(visit: Opener) -> None:
    page = visit(f"#/mix?t={QUANTUM}:100")
    expect(page.get_by_text("Add a second topic")).to_be_visible()
    page.get_by_label("Another topic").select_option(label="cosmology")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_label("cosmology", exact=True)).to_be_focused()
    film = section(page, "The way between")
    expect(film.locator("li")).to_have_count(5)
    expect(film.locator(".end")).to_have_text(["quantum states", "cosmology"])
    expect(film.locator("small")).to_have_text(
        ["100 : 0", "75 : 25", "50 : 50", "25 : 75", "0 : 100"]
    )
    page.get_by_role("button", name="Remove quantum states").click()
    expect(page.get_by_label("Another topic")).to_be_focused()
    expect(page.get_by_label("quantum states", exact=True)).to_have_count(0)
    page.go_back()
    expect(page.get_by_label("quantum states", exact=True)).to_have_value("100")


def test_a_prefix_begins_the_equations_or_is_refused(visit: Opener, expected: set[int]) -> None:
    expected.add(400)
    page = visit(f"#/mix?t={QUANTUM}:50,83:50")
    prefix = page.get_by_label("They begin with")
    prefix.fill("L =")
    expect(section(page, "Equations").locator("math").first).to_have_text(re.compile("^L="))
    prefix.fill("L_{")
    expect(page.locator(".error")).to_contain_text("At character 3: '{' is never closed.")
    expect(page.locator(".mirror mark")).to_have_text("{")
    prefix.fill("L_{2} =")
    expect(page.locator(".error")).to_be_empty()
    expect(section(page, "The way between").locator("math")).to_have_count(5)


# -- reader -------------------------------------------------------------------------------------

DROP = """([zone, name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  const at = document.querySelector(zone);
  for (const kind of ["dragover", "drop"]) {
    at.dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
  }
}"""


def test_a_chosen_article_is_shown_in_a_frame_that_runs_nothing(
    visit: Opener, tmp_path: Path
) -> None:
    article = tmp_path / "flow.tex"
    article.write_text(r"Let $u$ be <script>alert(1)</script> the velocity.", encoding="utf-8")
    page = visit("#/reader")
    page.get_by_label("Choose an article").set_input_files(article)
    frame = page.frame_locator("iframe")
    expect(frame.locator("h1")).to_have_text("flow.tex")
    expect(frame.locator("body")).to_contain_text("<script>alert(1)</script> the velocity.")
    expect(frame.locator("math")).to_be_visible()
    expect(frame.locator("h1")).to_have_css("font-weight", "400")  # its own style sheet
    expect(frame.locator("aside p").first).to_have_css("color", "rgb(13, 91, 115)")
    expect(page).to_have_title("Reader · TopicEq")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save this page").click()
    assert saved.value.suggested_filename == "flow.html"
    frame.locator("mi[data-symbol='1']").hover()
    expect(frame.get_by_role("status")).to_have_text("density, says the article")
    frame.locator("h1").hover()
    expect(frame.locator("#card")).to_be_hidden()
    frame.get_by_role("link", name="ρ is the density").click()
    expect(frame.locator("h1")).to_have_text("flow.tex")


def test_an_article_can_be_dropped(visit: Opener, expected: set[int]) -> None:
    expected.add(400)
    page = visit("#/reader")
    expect(page.locator(".zone")).to_be_visible()
    page.evaluate(DROP, [".reader", "<img src=x>.pdf", "no article"])
    expect(page.get_by_role("alert")).to_contain_text("'<img src=x>.pdf' is no article.")
    page.evaluate(DROP, [".zone", "dropped.tex", "Dropped text."])
    expect(page.frame_locator("iframe").locator("body")).to_contain_text("Dropped text.")


def test_reading_can_be_cancelled(visit: Opener) -> None:
    page = visit("#/reader")
    expect(page.locator(".zone")).to_be_visible()
    page.evaluate(DROP, [".zone", "slow.tex", "Long."])
    expect(page.get_by_text("Reading slow.tex …")).to_be_visible()
    with page.expect_event("requestfailed"):
        page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Reading slow.tex …")).to_have_count(0)


# -- all views ----------------------------------------------------------------------------------


def test_a_run_that_cannot_says_so(visit: Opener, fake_app: FastAPI) -> None:
    can: dict[str, bool] = fake_app.state.can
    fake_app.state.can = dict.fromkeys(can, False)
    try:
        page = visit(f"#/topics/{QUANTUM}")
        expect(section(page, "Written by the model")).to_contain_text(
            "This run cannot write equations."
        )
        expect(section(page, "Symbols and what they mean here")).to_have_count(0)
        page.get_by_role("link", name="Equation", exact=True).click()
        page.get_by_role("link", name="Taylor").click()
        expect(section(page, "Symbols")).to_contain_text("This run cannot say what symbols mean.")
        expect(section(page, "Similar equations")).to_contain_text(
            "This run cannot search its corpus."
        )
        page.get_by_role("link", name="Mix", exact=True).click()
        expect(section(page, "Equations")).to_contain_text("This run cannot write equations.")
    finally:
        fake_app.state.can = can


def test_every_question_is_of_the_form_that_the_server_takes(visit: Opener, asked: Asked) -> None:
    walk: list[tuple[str, Callable[[Page], Any]]] = [
        (f"#/topics/{QUANTUM}", lambda page: page.locator(".equations math").last),
        (
            "#/equation?e=a+%3D+b",
            lambda page: section(page, "Similar equations").locator("li").first,
        ),
        ("#/context?c=a+matrix", lambda page: page.locator(".equations math").first),
        ("#/mix", lambda page: page.locator(".film math").first),
    ]
    page = visit()
    for address, last in walk:
        page.goto(address)
        expect(last(page)).to_be_visible()
    assert {verb for verb, _ in asked} == {"render", "infer", "explain", "similar", "generate"}
    for verb, question in asked:
        (VERBS | {"render": Render})[verb].model_validate(question)


def test_addresses_that_lead_nowhere_say_so(visit: Opener) -> None:
    page = visit("#/nowhere/7")
    expect(heading(page)).to_have_text("There is nothing here")
    page.get_by_role("link", name="See the topics").click()
    expect(heading(page)).to_have_text("A map of 100 topics")
