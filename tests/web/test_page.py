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
OTHER = 2  # among the topics of an equation: the fake reads its symbols otherwise
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
PLATE = ".plate .stage math"
NAMES = "texts => texts.map(t => [...t.children].map(line => line.textContent).join(' '))"


def heading(page: Page) -> Locator:
    return page.locator("h1:visible")


def section(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name)


def questions_of(asked: Asked, verb: str) -> list[Shape]:
    return [question for name, question in asked if name == verb]


def asking(page: Page) -> Locator:
    return page.get_by_label("Paste an equation")


def names(page: Page) -> list[str]:
    found: list[str] = page.locator(".labels text").evaluate_all(NAMES)
    return found


def settled(page: Page) -> Page:
    """The map with its points and all its labels."""
    expect(page.locator(".atlas-map.filled")).to_be_visible()
    page.wait_for_function("() => document.querySelectorAll('.labels text').length > 5")
    page.wait_for_timeout(250)  # labels are placed when the map rests
    return page


# -- the map ------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1600, 1280, 390])
def test_the_map_names_regions_and_the_largest_topics_without_overlap(
    visit: Opener, width: int
) -> None:
    page = settled(visit(width=width))
    expect(page.locator(".map a")).to_have_count(100)
    assert page.locator(".labels .region").count() > 7  # of 9
    largest = sorted(topics(), key=lambda one: -float(one["share"]))
    for _ in range(4):
        labels, overlaps = page.evaluate(OVERLAPS)
        assert labels > (50 if width > 1000 else 20)
        assert overlaps == 0
        page.get_by_role("button", name="Zoom out").click()  # as far as it goes: nothing changes
    named = names(page)
    assert len({one["label"] for one in largest[:20]} & set(named)) > 13
    radius = "c => Math.max(...c.map(x => x.r.baseVal.value))"
    own = page.locator(f'.map a[data-topic="{largest[0]["topic"]}"] .dot').evaluate(
        "c => c.r.baseVal.value"
    )
    assert own == page.locator(".map .dot").evaluate_all(radius)


def test_the_closer_one_looks_the_more_is_named(visit: Opener) -> None:
    page = settled(visit())
    before = page.locator(".map a").first.get_attribute("transform")
    for _ in range(2):
        page.get_by_role("button", name="Zoom in").click()
    expect(page.locator(".labels .region")).to_have_count(0)
    expect(page.locator(".map a").first).not_to_have_attribute("transform", before or "")
    assert page.evaluate(OVERLAPS)[1] == 0
    seen = """links => links.filter((link) => {
      const [a, b] = [link, link.closest(".map")].map((e) => e.getBoundingClientRect());
      return a.left > b.left && a.right < b.right && a.top > b.top && a.bottom < b.bottom;
    }).length"""
    assert page.locator(".labels text").count() > 0.8 * page.locator(".map a").evaluate_all(seen)
    page.get_by_role("button", name="Whole map").click()
    expect(page.locator(".map a").first).to_have_attribute("transform", before or "")
    expect(page.locator(".labels .region")).to_have_count(9)


def test_the_map_is_dragged_and_turned(visit: Opener) -> None:
    page = settled(visit())
    map_of = page.locator(".atlas-map")
    dot = page.locator(".map a").first
    box = map_of.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.wheel(0, -600)
    expect(map_of).to_have_class(re.compile("zoomed"))
    page.wait_for_timeout(200)
    before, address = dot.get_attribute("transform"), page.url
    page.mouse.down()
    page.mouse.move(x + 60, y + 40, steps=4)
    page.mouse.up()
    expect(dot).not_to_have_attribute("transform", before or "")
    assert page.url == address  # what was dragged was not clicked
    page.mouse.wheel(0, 3000)
    expect(map_of).not_to_have_class(re.compile("zoomed"))


COUNTING = """() => {
  const kind = CanvasRenderingContext2D.prototype;
  const put = kind.putImageData;
  globalThis.painted = 0;
  kind.putImageData = function (...given) { globalThis.painted++; return put.apply(this, given); };
}"""


def test_a_map_that_is_dragged_is_moved_and_not_painted_anew(visit: Opener) -> None:
    page = settled(visit())
    page.get_by_role("button", name="Zoom in").click()
    box = page.locator(".atlas-map").bounding_box()
    assert box is not None
    page.wait_for_timeout(300)
    page.evaluate(COUNTING)
    moves = """([x, y]) => new Promise((resolve) => {
      const map = document.querySelector(".atlas-map");
      map.setPointerCapture = () => {};
      const at = (kind, shift) => map.dispatchEvent(new PointerEvent(kind,
        { clientX: x + shift, clientY: y, pointerId: 1, pointerType: "mouse", bubbles: true }));
      at("pointerdown", 0);
      let [shift, moved] = [0, 0];
      const step = () => {
        if (shift === 60) { at("pointerup", 60); resolve([moved, globalThis.painted]); return; }
        at("pointermove", (shift += 10));
        requestAnimationFrame(() => {
          moved += document.querySelector(".layer").style.transform !== "none";
          requestAnimationFrame(step);
        });
      };
      step();
    })"""
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    moved, painted = page.evaluate(moves, middle)
    assert moved >= 1 and painted < moved + 3
    expect(page.locator(".layer")).to_have_css("transform", "none")  # sharp again, with its names
    assert page.evaluate("globalThis.painted") > 0


EMPTY = """map => {
  // a pixel of the picture with a colour of its own that no dot lies upon
  const canvas = map.querySelector("canvas");
  const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const [{ left, top }, whole] = [canvas, map].map((one) => one.getBoundingClientRect());
  for (let n = 0; n < data.length; n += 4) {
    const [x, y] = [left + (n / 4) % width, top + Math.floor(n / 4 / width)];
    if (y < whole.top + 120) continue;
    const most = Math.max(data[n], data[n + 1], data[n + 2]);
    const isPoint = most - Math.min(data[n], data[n + 1], data[n + 2]) > 20;
    const isFree = isPoint && !document.elementFromPoint(x, y)?.closest("a, button");
    if (isFree) return { x: x - whole.left, y: y - whole.top };
  }
}"""


def place_of_a_point(page: Page) -> Any:
    """Where on the map an equation lies, and no topic."""
    return page.locator(".atlas-map").evaluate(EMPTY)


def test_points_are_equations_that_can_be_read_and_opened(visit: Opener) -> None:
    page = settled(visit())
    within, box = place_of_a_point(page), page.locator(".atlas-map").bounding_box()
    assert box is not None
    place = box["x"] + within["x"], box["y"] + within["y"]
    page.mouse.move(*place)
    card = page.locator(".found")
    expect(card.locator("math")).to_be_visible()
    expect(card).to_contain_text("A textbook")
    page.mouse.click(*place)
    expect(page).to_have_url(re.compile("#/equation"))
    expect(page.locator(PLATE)).to_be_visible()


def test_a_run_without_an_index_has_no_points(visit: Opener, fake_app: FastAPI) -> None:
    can: dict[str, bool] = fake_app.state.can
    fake_app.state.can = can | {"similar": False}
    try:
        page = visit()
        expect(page.locator(".labels .region").first).to_be_attached()
        page.wait_for_load_state("networkidle")
        expect(page.locator(".atlas-map.filled")).to_have_count(0)
    finally:
        fake_app.state.can = can


def test_a_finger_zooms_and_taps(visit: Opener) -> None:
    page = settled(visit(width=390, touch=True))
    page.get_by_role("button", name="Zoom in").tap()
    expect(page.locator(".atlas-map")).to_have_class(re.compile("zoomed"))
    seen = page.locator(".map a:visible")
    centre = page.locator(".atlas-map").bounding_box()
    assert centre is not None
    nearest = min(
        (seen.nth(n) for n in range(seen.count())),
        key=lambda one: middle_distance(one, centre),
    )
    nearest.locator(".reach").tap()
    expect(page).to_have_url(re.compile(r"#/topics/\d+$"))


def test_a_finger_opens_an_equation(visit: Opener) -> None:
    page = settled(visit(width=390, touch=True))
    page.locator(".atlas-map").tap(position=place_of_a_point(page))
    page.locator(".found").tap()
    expect(page).to_have_url(re.compile("#/equation"))


def middle_distance(one: Locator, box: Any) -> float:
    own = one.bounding_box()
    assert own is not None
    return abs(own["x"] - box["x"] - box["width"] / 2) + abs(
        own["y"] - box["y"] - box["height"] / 2
    )


def test_a_dot_opens_its_topic_and_back_and_escape_lead_to_the_list(page: Page) -> None:
    page.locator(f'.map a[data-topic="{QUANTUM}"]').click()
    expect(heading(page)).to_have_text("quantum states")
    expect(page).to_have_url(re.compile("#/topics/57$"))
    expect(page).to_have_title("quantum states · TopicEq")
    expect(heading(page)).to_be_focused()
    expect(page.locator(".map a.chosen")).to_have_count(1)
    expect(page.locator(".map .lines line")).to_have_count(6)
    expect(page.locator(".labels .chosen")).to_have_text(re.compile("quantum ?states"))
    page.go_back()
    expect(heading(page)).to_have_text("A map of 100 topics")
    expect(page.locator('.topics a[href="#/topics/57"]')).to_be_focused()
    page.go_forward()
    expect(heading(page)).to_have_text("quantum states")
    page.keyboard.press("Escape")
    expect(heading(page)).to_have_text("A map of 100 topics")


def test_a_topic_tells_words_symbols_equations_and_relatives(page: Page, asked: Asked) -> None:
    page.get_by_role("link", name=re.compile("^quantum states")).last.click()
    expect(page.locator(".words li")).to_have_count(20)
    expect(page.locator(".words li").first).to_have_text(re.compile(r"state\s+10 %"))
    percents = [float(text.split()[0]) for text in page.locator(".words small").all_inner_texts()]
    assert percents == sorted(percents, reverse=True)  # the order is that of the numbers
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


def test_the_keyboard_walks_over_the_map(page: Page) -> None:
    expect(page.locator(".map a")).to_have_count(100)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")  # one stop for all its dots
    first = page.locator('.map a[tabindex="0"]').get_attribute("data-topic")
    expect(page.locator(f'.map a[data-topic="{first}"]')).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(f'.map a[data-topic="{first}"]')).not_to_be_focused()
    expect(page.locator(".map a:focus")).to_have_count(1)
    expect(page.locator(".tag text")).to_be_visible()
    page.keyboard.press("+")
    expect(page.locator(".atlas-map")).to_have_class(re.compile("zoomed"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".map a:focus")).to_be_in_viewport()
    page.keyboard.press("0")
    expect(page.locator(".atlas-map")).not_to_have_class(re.compile("zoomed"))
    second = page.locator(".map a:focus").get_attribute("data-topic")
    assert second is not None
    page.keyboard.press("Enter")
    expect(heading(page)).to_have_text(topics()[int(second)]["label"])
    page.keyboard.press("Tab")
    expect(page.locator(".words, .equations, .sheet").locator("*:focus")).to_have_count(1)


def test_a_map_that_is_drawn_again_keeps_the_focus(page: Page) -> None:
    dot = page.locator(f'.map a[data-topic="{QUANTUM}"]')
    dot.focus()
    tag = page.locator(".tag text")
    expect(tag).to_be_visible()
    before = page.locator(".map").get_attribute("viewBox")
    page.set_viewport_size({"width": 1100, "height": 700})
    expect(page.locator(".map")).not_to_have_attribute("viewBox", before or "")
    expect(dot).to_be_focused()
    expect(tag).to_be_visible()


def test_the_content_can_be_skipped_to_before_the_page_is_ready(visit: Opener) -> None:
    page = visit("#main")  # where the link leads by itself
    expect(heading(page)).to_have_text("A map of 100 topics")
    expect(page).to_have_url(re.compile("#/topics$"))


def test_a_topic_that_does_not_exist_is_said(visit: Opener, expected: set[int]) -> None:
    expected.add(404)
    page = visit("#/topics/120")
    expect(page.locator(".failure")).to_have_text(re.compile("Topic 120 does not exist"))
    page.get_by_role("link", name="Whole map").click()
    expect(heading(page)).to_have_text("A map of 100 topics")


# -- the one field ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "view", "told"),
    [
        ("E = m c^2", "equation", "an equation"),
        ("$x^2$", "equation", "an equation"),
        (r"\begin{align} a &= b \\ c &= d \end{align}", "equation", "an equation"),
        ("∇·E = ρ/ε₀", "equation", "an equation"),
        ("<math><mi>E</mi><mo>=</mo><mi>m</mi></math>", "equation", "an equation"),
        (r"\psi", "equation", "an equation"),
        ("quantum", "topics", "words"),
        ("neural networks", "topics", "words"),
        ("Let $A$ be a matrix with real eigenvalues and trace zero.", "context", "a sentence"),
        ("The qubit is prepared in a superposition.", "context", "a sentence"),
    ],
)
def test_the_field_sees_what_it_is_given(page: Page, typed: str, view: str, told: str) -> None:
    asking(page).fill(typed)
    expect(page).to_have_url(re.compile(f"#/{view}\\?"))
    expect(page.locator(".told")).to_contain_text(f"Read as {told}")
    expect(asking(page)).to_be_focused()
    expect(asking(page)).to_have_value(typed)
    page.reload()
    expect(asking(page)).to_have_value(typed)
    expect(page.locator(".told")).to_contain_text(f"Read as {told}")
    asking(page).fill("")
    expect(heading(page)).to_have_text("A map of 100 topics")


def test_words_light_up_their_topics(page: Page) -> None:
    asking(page).fill("qubit")
    own = [one for one in topics() if "qubit" in {w["word"] for w in one["weights"]}]
    expect(page.locator(".topics li:visible")).to_have_count(len(own))
    expect(page.locator(".map a.hot").first).to_be_visible()
    expect(page.locator(".labels .called").first).to_contain_text("%")
    shown = [float(text.split()[0]) for text in page.locator(".topics .share").all_inner_texts()]
    assert shown == sorted(shown, reverse=True)
    asking(page).fill("nosuchword")
    expect(page.get_by_text("No topic has these words.")).to_be_visible()
    expect(page.locator(".map a.hot")).to_have_count(0)


def test_it_can_be_read_as_something_else(page: Page, asked: Asked) -> None:
    asking(page).fill("matrix")
    page.get_by_role("button", name="read it as an equation").click()
    expect(page).to_have_url(re.compile("#/equation"))
    expect(page.locator(".told")).to_contain_text("Read as an equation")
    asking(page).press_sequentially("es")  # it goes on to be read so
    expect(page).to_have_url(re.compile("#/equation\\?e=matrixes"))


def test_the_id_of_an_article_is_read_when_one_says_so(page: Page) -> None:
    asking(page).fill("arXiv:1902.06034")
    expect(page.locator(".told")).to_contain_text("An article.")
    with page.expect_request("**/api/annotate?article=1902.06034"):
        page.keyboard.press("Enter")
    expect(page.frame_locator("iframe").locator("h1")).to_have_text("arXiv:1902.06034")
    expect(page).to_have_title("arXiv:1902.06034: reader · TopicEq")


def test_an_article_lights_up_on_the_map(page: Page) -> None:
    expect(page.locator(".map a")).to_have_count(100)
    page.evaluate(DROP, ["main", "dropped.tex", "Dropped text."])
    expect(page.frame_locator("iframe").locator("body")).to_contain_text("Dropped text.")
    page.get_by_role("link", name="On the map").click()
    expect(page.get_by_text("Lit are the topics of dropped.tex")).to_be_visible()
    expect(page.locator(".map a.hot")).to_have_count(2)
    page.get_by_role("button", name="Put them out").click()
    expect(page.locator(".map a.hot")).to_have_count(0)


def test_phones_have_keys_for_signs(visit: Opener) -> None:
    page = visit(width=390, touch=True)
    expect(page.locator(".keys")).to_be_hidden()
    asking(page).tap()
    page.get_by_role("button", name="\\frac{}{}").tap()
    page.keyboard.type("a")
    page.get_by_role("button", name="^", exact=True).tap()
    page.keyboard.type("2")
    expect(asking(page)).to_have_value("\\frac{a^2}{}")
    expect(asking(page)).to_be_focused()


def test_a_person_without_a_mouse_gets_everywhere(page: Page) -> None:
    expect(page.locator(".map a")).to_have_count(100)
    page.locator(".map a[tabindex='0']").focus()
    tab_to(page, asking(page))
    page.keyboard.type("E = m c^2")
    expect(page.locator(".tells").first).to_be_visible()
    tab_to(page, page.locator(".tells").first)
    page.keyboard.press("Enter")
    expect(page.locator(".why")).to_be_visible()
    tab_to(page, page.get_by_role("radio").first)
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile("topic="))
    tab_to(page, page.locator(".equations a").first)
    page.evaluate("document.activeElement.blur()")
    tab_to(page, page.get_by_role("link", name="Words", exact=True))
    page.keyboard.press("Enter")
    expect(heading(page)).to_be_focused()
    tab_to(page, page.get_by_role("link", name="A fluid"))
    page.keyboard.press("Enter")
    expect(page.locator(".passage mark").first).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    tab_to(page, page.get_by_role("link", name="Reader", exact=True))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Choose an article"))
    tab_to(page, page.get_by_role("button", name="Read an example"))


def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until something has the focus."""
    expect(wanted).to_be_attached()
    for _ in range(40):
        if wanted.evaluate("e => e === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} cannot be reached")


# -- equation -----------------------------------------------------------------------------------


def test_an_equation_is_drawn_labelled_and_lit_as_it_is_typed(visit: Opener, asked: Asked) -> None:
    page = visit("#/equation")
    expect(page.get_by_role("list", name="Examples").get_by_role("link").first).to_be_visible()
    page.clock.install(time=0)
    page.clock.pause_at(10_000)  # all letters come at once, however slow the machine is
    asking(page).press_sequentially(SCHROEDINGER)
    page.clock.resume()
    expect(page.locator(PLATE)).to_contain_text("Ψ")
    expect(page.locator(".tells")).to_have_text(
        ["Planck constant", "time", "wave function", "Hamiltonian"]
    )
    expect(page.get_by_role("radio").first).to_be_checked()
    expect(section(page, "Topics").locator(".choice").first).to_contain_text("quantum")
    expect(page.locator(".map a.hot").first).to_be_visible()
    expect(page.locator(".pin")).to_be_visible()
    expect(section(page, "Equations like it").locator("li")).to_have_count(8)
    expect(page).to_have_title(re.compile(r"^i \\hbar .*equation · TopicEq$"))
    explained = [question["equation"] for question in questions_of(asked, "explain")]
    assert explained in ([SCHROEDINGER], ["i", SCHROEDINGER])  # the first letter, and the last
    assert questions_of(asked, "similar")[-1]["equation"] == SCHROEDINGER


PLACED = """names => {
  const boxes = names.map((name) => name.getBoundingClientRect());
  const meet = (a, b) => a.left < b.right && b.left < a.right
    && a.top < b.bottom && b.top < a.bottom;
  const math = document.querySelector(".plate math").getBoundingClientRect();
  return [boxes.some((a, i) => boxes.some((b, j) => j < i && meet(a, b))),
    boxes.some((box) => meet(box, math))];
}"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", list(EXAMPLES))
def test_names_lie_neither_over_each_other_nor_over_the_equation(
    visit: Opener, name: str, width: int
) -> None:
    page = visit("#/equation", width=width)
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.locator(".tells").first).to_be_visible()
    page.evaluate("document.fonts.ready")
    assert page.locator(".tells").evaluate_all(PLACED) == [False, False]


def test_a_meaning_tells_what_it_rests_on_and_what_is_not_known_is_said(visit: Opener) -> None:
    page = visit("#/equation?e=E+%3D+k+%5Chbar")
    expect(page.locator(".blank")).to_have_text("Not known here: k.")
    energy = page.get_by_role("button", name="energy")
    energy.hover()
    expect(page.locator(".plate .lit")).to_have_text("E")
    energy.click()
    expect(energy).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".why")).to_contain_text("Here E is the energy.")
    link = page.locator(".why a")
    expect(link).to_have_attribute("href", "https://example.org/notes.tex")
    energy.click()
    expect(page.locator(".why")).to_be_hidden()
    page.get_by_text("All that its symbols may mean").click()
    expect(page.locator(".symbols dt")).to_have_count(3)
    expect(page.locator(".symbols .unknown")).to_have_text("not known")


def test_another_topic_changes_the_meanings_and_back_changes_them_back(visit: Opener) -> None:
    page = visit("#/equation")
    page.get_by_role("link", name="Schrödinger").click()
    meaning = page.locator(".stage")
    expect(meaning).to_contain_text("Hamiltonian")
    before = meaning.text_content() or ""
    second = page.get_by_role("radio").nth(OTHER)
    second.check()
    expect(meaning).not_to_have_text(before)
    expect(page).to_have_url(re.compile(rf"topic={second.get_attribute('value')}$"))
    after = meaning.text_content() or ""
    page.go_back()
    expect(meaning).to_have_text(before)
    expect(page.get_by_role("radio").first).to_be_checked()
    page.go_forward()
    page.reload()
    expect(asking(page)).to_have_value(SCHROEDINGER)
    expect(page.get_by_role("radio").nth(OTHER)).to_be_checked()
    expect(meaning).to_have_text(after)


def test_an_error_is_shown_where_it_is(visit: Opener, expected: set[int]) -> None:
    expected.add(400)
    page = visit("#/equation")
    field = asking(page)
    field.fill("x^{2} + y^{2}} = 1")
    expect(page.locator(".error")).to_have_text(
        "At character 14: '}' closes nothing. Mend the LaTeX there."
    )
    expect(page.locator(".mirror mark")).to_have_text("}")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile("closes nothing"))
    field.fill("x^{2} + y^{2} = 1")
    expect(page.locator(".error")).to_be_empty()
    expect(page.locator(PLATE)).to_be_visible()
    field.fill("x^{2} + \ny^{2")
    expect(page.locator(".error")).to_contain_text("Line 2, character 3")
    expect(page.locator(f".stale {PLATE}")).to_be_visible()


def test_old_answers_fade_at_once_and_a_question_is_given_up_when_the_next_one_comes(
    visit: Opener, asked: Asked
) -> None:
    page = visit("#/equation?e=a+%3D+b")
    expect(page.locator(PLATE)).to_be_visible()
    expect(page.get_by_role("radio").first).to_be_checked()
    with page.expect_event("requestfailed"):
        asking(page).fill("a = \\slow b")
        expect(page.locator(".plate")).to_have_attribute("aria-busy", "true")
        expect(page.locator(".plate > *").first).to_have_css("opacity", "0.45")
        expect(page.locator(".atlas-map")).to_have_class(re.compile("old"))
        asking(page).fill("E = m c^{2}")
    expect(page.locator(PLATE)).to_contain_text("E")
    expect(page.locator(".plate")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator(".atlas-map")).not_to_have_class(re.compile("old"))


def test_a_fault_of_the_server_can_be_tried_again(
    visit: Opener, asked: Asked, expected: set[int]
) -> None:
    expected |= {500, 503}
    page = visit("#/equation")
    asking(page).fill("a = \\crash b")
    alert = page.locator(".plate").get_by_role("alert")
    expect(alert).to_contain_text("Internal Server Error")
    alert.get_by_role("button", name="Try again").click()
    expect(page.locator(PLATE)).to_be_visible()
    section(page, "Topics").get_by_role("button", name="Try again").click()
    expect(page.get_by_role("radio").first).to_be_checked()
    asking(page).fill("a = \\busy b")  # asked again by itself
    expect(page.locator(PLATE)).to_contain_text("busy")


def test_a_server_that_is_gone_is_said(visit: Opener, expected: set[int]) -> None:
    expected.add(0)
    page = visit("#/context")
    page.route("**/api/infer*", lambda route: route.abort())
    asking(page).fill("A matrix with real eigenvalues.")
    expect(page.locator(".failure")).to_contain_text("The server does not answer.")
    page.unroute("**/api/infer*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("radio").first).to_be_checked()


# -- words --------------------------------------------------------------------------------------


def test_a_paragraph_gets_topics_speaking_words_and_equations(visit: Opener, asked: Asked) -> None:
    page = visit("#/context")
    page.get_by_role("link", name="A quantum state").click()
    expect(page.locator(".choice").first).to_contain_text("quantum states")
    passage = section(page, "Words that speak for it")
    expect(passage.locator("mark", has_text="qubit")).to_be_visible()
    expect(page.locator(".map a.hot").first).to_be_visible()
    expect(section(page, "Equations written for it").locator("math")).to_have_count(3)
    assert questions_of(asked, "generate")[0]["context"].startswith("The qubit is prepared")
    page.get_by_role("radio").nth(1).check()
    expect(passage.locator("mark", has_text="qubit")).to_have_count(0)
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    expect(asking(page)).to_have_value(re.compile("^The qubit is prepared"))


def test_a_typed_paragraph_is_in_the_address(visit: Opener) -> None:
    page = visit("#/context")
    text = "we need a matrix & its large determinant?"
    asking(page).press_sequentially(text, delay=5)
    expect(page.locator(".passage")).to_have_text(text)
    expect(page).to_have_title("we need a matrix & its large determinant?: words · TopicEq")
    page.reload()
    expect(asking(page)).to_have_value(text)
    asking(page).fill("")
    expect(page.locator(".passage")).to_have_count(0)


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
    page.emulate_media(reduced_motion="reduce")  # a link that still moves cannot be clicked
    page.get_by_label("Choose an article").set_input_files(article)
    frame = page.frame_locator("iframe")
    expect(frame.locator("h1")).to_have_text("flow.tex")
    expect(frame.locator("body")).to_contain_text("<script>alert(1)</script> the velocity.")
    expect(frame.locator("math")).to_be_visible()
    expect(frame.locator("h1")).to_have_css("font-weight", "400")  # its own style sheet
    expect(frame.locator("aside p").first).to_have_css("color", "rgb(13, 91, 115)")
    expect(page).to_have_title("flow.tex: reader · TopicEq")
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
    page.evaluate(DROP, ["main", "<img src=x>.pdf", "no article"])
    expect(page.locator(".failure")).to_contain_text("'<img src=x>.pdf' is no article.")
    page.evaluate(DROP, ["main", "dropped.tex", "Dropped text."])
    expect(page.frame_locator("iframe").locator("body")).to_contain_text("Dropped text.")


def tex(name: str, text: str) -> Any:
    """A file to choose."""
    return {"name": name, "mimeType": "text/x-tex", "buffer": text.encode()}


def test_the_first_words_are_there_before_the_rest(visit: Opener) -> None:
    page = visit("#/reader")
    page.get_by_label("Choose an article").set_input_files(tex("slow.tex", "One. " * 2_000))
    inside = page.frame_locator("iframe")
    expect(inside.locator("h1")).to_have_text("slow.tex")
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(inside.locator("aside")).not_to_contain_text("velocity")
    page.evaluate("document.querySelector('iframe').contentWindow.scrollTo(0, 300)")
    expect(inside.locator("aside").first).to_contain_text("velocity")
    expect(page.get_by_role("progressbar")).to_have_count(0)
    expect(page.get_by_role("link", name="Save this page")).to_be_visible()
    assert page.evaluate("document.querySelector('iframe').contentWindow.scrollY") == 300


def test_an_article_that_breaks_off_is_said(visit: Opener) -> None:
    page = visit("#/reader")
    page.get_by_label("Choose an article").set_input_files(tex("broken.tex", "One."))
    expect(page.get_by_role("alert")).to_contain_text("It broke.")
    expect(page.get_by_text("Choose an article")).to_be_visible()
    expect(page.locator("iframe")).to_have_count(0)


def test_reading_can_be_cancelled(visit: Opener) -> None:
    page = visit("#/reader")
    expect(page.locator(".zone")).to_be_visible()
    page.evaluate(DROP, ["main", "slow.tex", "Long."])
    expect(page.get_by_role("progressbar", name="Reading slow.tex")).to_be_visible()
    expect(page.locator("iframe")).to_be_visible()
    with page.expect_event("requestfailed"):
        page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    expect(page.locator("iframe")).to_have_count(0)
    expect(page.locator(".zone")).to_be_visible()


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
        expect(page.locator(PLATE)).to_be_visible()
        page.get_by_text("All that its symbols may mean").click()
        expect(page.locator(".more")).to_contain_text("This run cannot say what symbols mean.")
        expect(section(page, "Equations like it")).to_contain_text(
            "This run cannot search its corpus."
        )
    finally:
        fake_app.state.can = can


def test_every_question_is_of_the_form_that_the_server_takes(visit: Opener, asked: Asked) -> None:
    walk: list[tuple[str, Callable[[Page], Any]]] = [
        (f"#/topics/{QUANTUM}", lambda page: page.locator(".equations math").last),
        (
            "#/equation?e=a+%3D+b",
            lambda page: section(page, "Equations like it").locator("li").first,
        ),
        ("#/context?c=a+matrix", lambda page: page.locator(".equations math").first),
    ]
    page = visit()
    for address, last in walk:
        page.goto(address)
        expect(last(page)).to_be_visible()
    assert {verb for verb, _ in asked} == {"infer", "explain", "similar", "generate"}
    for verb, question in asked:
        (VERBS | {"render": Render})[verb].model_validate(question)


def test_addresses_that_lead_nowhere_say_so(visit: Opener) -> None:
    page = visit("#/nowhere/7")
    expect(heading(page)).to_have_text("There is nothing here")
    page.get_by_role("link", name="See the map").click()
    expect(heading(page)).to_have_text("A map of 100 topics")
