"""The report in a browser: it says nothing to the console, asks for nothing, and does what its buttons and keys say."""

import json
from pathlib import Path
import tempfile

from support import REPOSITORY, RunTest, output_of
import browser
import hostile
import make_report
from pages import compared, comparison
from report import embedding

RUNS = REPOSITORY / "results" / "h200"
LADDER = '[id="run-slides-table"]'
FIGURE_4 = '[id="run-martin2012-fig4"]'
# Of the text and its background as they are painted: the least contrast of each theme, by WCAG 2.
CONTRAST = """
(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const parsed = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (rgb) => rgb.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let n = node; n; n = n.parentElement) {
      const colour = parsed(getComputedStyle(n).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const found = [];
  const texts = 'h1, h2, h3, p, td, th, a, button, summary, small, span, dt, dd, li, text';
  for (const node of document.querySelectorAll(texts)) {
    if (!node.textContent.trim() || !node.getClientRects().length) continue;
    if (node.closest('[aria-pressed="false"], [aria-hidden]')) continue;
    const style = getComputedStyle(node);
    const ink = parsed(node.tagName === 'text' ? style.fill : style.color);
    const [a, b] = [light(ink), light(behind(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${node.tagName} ${node.textContent.slice(0, 40)}`);
  }
  return found.slice(0, 5);
})()
"""
# Pairs of texts of a figure that lie over each other.
OVERLAPS = """
(() => {
  const boxes = [...document.querySelectorAll('figure[data-figure="%d"] .plot text')]
    .map((t) => [t, t.getBoundingClientRect()]);
  const meet = (r, s) => r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 3 && s.top < r.bottom - 3;
  return boxes.flatMap(([a, r], i) => boxes.slice(i + 1)
    .filter(([, s]) => meet(r, s)).map(([b]) => `${a.textContent} / ${b.textContent}`));
})()
"""


def write_page(path, *arguments, expected=0):
    code, _, errors = output_of(make_report.main, *arguments, "-o", path, "--redbench", "")
    assert code == expected, errors


@browser.needed
class Report(RunTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.page = Path(cls.enterClassContext(tempfile.TemporaryDirectory())) / "report.html"
        write_page(cls.page, RUNS / "slides", RUNS / "martin2012")  # with the claims of RUNS, and a ladder's why.json

    def open(self, page=None, **how):
        self.browser.open(page or self.page, **how)

    def run_script(self, script):
        return self.browser.run(script)

    def of(self, selector, expression="node.textContent.trim()"):
        """An expression's value of the first node that the selector finds."""
        return self.run_script(f"((node) => {expression})(document.querySelector({json.dumps(selector)}))")

    def each(self, selector, expression="node.textContent.trim()"):
        """The same of each node."""
        return self.run_script(f"[...document.querySelectorAll({json.dumps(selector)})].map((node) => {expression})")

    def show(self, figure):
        """Brings a figure to the middle of the window, and waits until it is drawn."""
        self.of(figure, "node.scrollIntoView({block: 'center', behavior: 'instant'})")
        self.browser.wait(f"document.querySelector({json.dumps(figure)}).dataset.drawn === 'true'")

    def show_all(self):
        """Draws all figures, opens all details, and says how many figures there are."""
        figures = self.each("figure", "node.dataset.figure")
        for number in figures:
            self.show(f'figure[data-figure="{number}"]')
        self.each("details", "node.open = true")
        return len(figures)

    def panel_opens(self):
        self.browser.wait("document.getElementById('panel').open")

    def assert_quiet(self, width):
        self.assertLessEqual(self.run_script("document.documentElement.scrollWidth"), width)
        self.assertEqual(self.run_script(CONTRAST), [])
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), [])

    def test_it_is_quiet_and_readable_at_both_widths_and_in_both_themes(self):
        for width, scheme, background in ((1280, "light", "rgb(253, 253, 251)"), (390, "dark", "rgb(20, 22, 26)")):
            with self.subTest(scheme):
                self.open(width=width, scheme=scheme)
                self.assertEqual(self.of("body", "getComputedStyle(node).backgroundColor"), background)
                figures = self.show_all()
                self.assertGreater(figures, 8)
                for number in range(figures):
                    self.assertEqual(self.run_script(OVERLAPS % number), [], f"figure {number}")
                self.assert_quiet(width)

    def test_a_column_sorts_up_down_and_back(self):
        self.open()
        table = f"{FIGURE_4} > .scroll table"

        def times():
            return self.each(f"{table} td[data-column=time_ns]", "Number(node.dataset.v)")

        head = f"[...document.querySelectorAll('{table} thead th')].find((th) => th.textContent.includes('time ('))"
        planned = times()
        self.assertEqual(len(planned), 80)
        self.assertNotEqual(planned, sorted(planned))
        for order, expected in (("ascending", sorted(planned)), ("descending", sorted(planned)[::-1]), (None, planned)):
            self.run_script(f"{head}.querySelector('button').click()")
            self.assertEqual(times(), expected)
            self.assertEqual(self.run_script(f"{head}.getAttribute('aria-sort')"), order)

    def test_a_legend_button_hides_its_series_and_a_double_click_shows_it_alone(self):
        self.open()
        figure = f"{FIGURE_4} figure:first-of-type"
        self.show(figure)
        marks = f"{figure} .plot [data-series]:not([display]) use"  # 16 points and an interval's band for each series
        self.assertEqual(len(self.each(marks)), 85)
        self.assertEqual(len(set(self.each(f"{figure} .legend .swatch"))), 5, "series differ in more than colour")
        button = f"{figure} .legend button"
        for clicks, count, pressed in ((1, 68, "false"), (1, 85, "true"), (2, 17, "true"), (2, 85, "true")):
            self.of(button, f"node.dispatchEvent(new MouseEvent('click', {{ detail: {clicks} }}))")
            self.assertEqual(len(self.each(marks)), count)
            self.assertEqual(self.of(button, "node.getAttribute('aria-pressed')"), pressed)
        self.of(button, "node.click()")
        self.assertIn("0", self.each(f"{figure} .plot text"))
        self.of(f"{figure} [data-axis=logy]", "node.click()")
        self.assertNotIn("0", self.each(f"{figure} .plot text"), "a logarithmic axis")
        self.assertEqual(len(self.each(marks)), 68, "what is hidden stays so")

    def test_a_point_says_the_number_of_its_record_and_leads_to_it(self):
        self.open()
        figure = f"{LADDER} figure"
        self.show(figure)
        place = "(({x, y, width, height}) => [x + width / 2, y + height / 2])(node.getBoundingClientRect())"
        x, y = self.of(f"{figure} .plot [data-series='0'] use", place)
        self.browser.point(x, y)
        tip = self.of(f"{figure} .tip", "node.innerText")
        self.assertIn(f"{self.of(f'{LADDER} > .scroll tbody td[data-column=time_ns]')} µs", tip)
        self.assertIn("harris1", tip)
        self.browser.point(x, y, click=True)
        self.panel_opens()
        panel = self.of("#panel", "node.innerText")
        (line,) = [r for r in (RUNS / "slides/table/records.jsonl").read_text().splitlines() if "reduce/harris1 " in r]
        original = json.loads(line)
        self.assertIn(original["key"], panel)
        shown = json.loads(self.of("#panel .json"))
        for name in ("time_ns", "time_low_ns", "launches", "clocks", "source_hash", "samples_repeated"):
            self.assertEqual(shown[name], embedding.clean(original[name]))  # in its first digits
        for unit in (f"{original['time_ns']:g} ns", "GB/s", "MHz", "°C", "bytes"):
            self.assertIn(unit, panel.replace("\u202f", "").replace("\u00a0", " "))

    def test_a_variant_leads_to_its_source(self):
        self.open()
        self.of(f"{LADDER} tbody th a", "node.click()")
        self.panel_opens()
        text = (REPOSITORY / "kernels/reduce/harris1.cu").read_text(encoding="utf-8")
        self.assertEqual(self.each(".source code", "node.textContent.trimEnd()"), text.splitlines())
        self.run_script("location.hash = '#kernels/reduce/harris1.cu:7'")
        self.browser.wait("document.querySelector('.source .marked')?.id === 'kernels/reduce/harris1.cu:7'")

    def test_the_keyboard_reaches_all(self):
        self.open()
        self.browser.press("Tab")
        self.assertEqual(self.of(":focus", "node.className"), "skip")
        self.show(f"{LADDER} figure")
        self.of(LADDER, "node.setAttribute('tabindex', '-1')")
        self.of(LADDER, "node.focus()")
        seen = []
        for _ in range(60):
            self.browser.press("Tab")
            seen.append(self.of(":focus", "`${node.tagName}.${node.getAttribute('class')}`"))
            self.assertNotEqual(self.of(":focus", "getComputedStyle(node).outlineStyle"), "none", seen[-1])
        for wanted in ("BUTTON.chip", "BUTTON.plain scale", "svg.plot", "DIV.scroll", "BUTTON.sort", "A.code"):
            self.assertIn(wanted, seen)

    def test_arrow_keys_go_from_point_to_point(self):
        self.open()
        figure = f"{LADDER} figure"
        self.show(figure)
        self.of(f"{figure} .plot", "node.focus()")
        steps = (("Down", "harris1"), ("Down", "harris2"), ("Right", "Tesla C2070"), ("Left", "measured"))
        for direction, text in steps:
            self.browser.press(f"Arrow{direction}")
            self.assertIn(text, self.of(f"{figure} .tip", "node.innerText"), direction)
        self.browser.press("Enter")
        self.panel_opens()
        self.assertEqual(self.of("#panel-title"), "reduce/harris2")
        self.assertEqual(self.of(":focus", "node.closest('dialog')?.id"), "panel")
        self.browser.press("Escape")
        self.browser.wait("!document.getElementById('panel').open")
        self.assertEqual(self.of(":focus", "node.getAttribute('class')"), "plot")
        # The dialog's `close`, which takes the address back, comes after it is closed.
        self.browser.wait("location.hash === ''")

    def test_claims_are_filtered_by_verdict(self):
        self.open()
        verdicts = (".claim:not([hidden])", "node.dataset.verdict")
        shown = set(self.each(*verdicts))
        self.assertLess({"holds"}, shown)
        self.of(".filters [data-verdict=holds]", "node.click()")
        self.assertEqual(set(self.each(*verdicts)), shown - {"holds"})

    def test_what_strangers_wrote_stays_text(self):
        page = self.folder / "page.html"
        write_page(page, hostile.write_run(self), "--title", hostile.SCRIPT, expected=2)  # numbers past all bounds
        self.open(page, width=390)
        self.show_all()
        for number in range(len(self.each("tr[data-record]"))):
            self.run_script(f"location.hash = '#record-{number}'")
            self.panel_opens()
            if number == 3:
                self.assertEqual(set(json.loads(self.of("#panel .json"))["axes"]), {"values", *hostile.NAMES})
            self.run_script("document.getElementById('panel').close()")
        self.assertIsNone(self.run_script("window.hit"))
        self.assertIsNone(self.run_script("({}).polluted"))
        self.assertEqual(self.each("img, b b"), [])
        self.assertEqual(self.of("h1", "node.textContent"), hostile.SCRIPT)
        self.assert_quiet(390)

    def test_a_comparison_is_quiet_and_has_its_figure(self):
        ratios = [(0.5, 0.4, 0.6, "faster"), (1.0, 0.99, 1.01, "same"), (2.0, 1.5, None, "slower")]
        ratios.append((None, None, None, "undecided"))
        cases = [
            compared(n=1024 << i, ratio=ratio, ratio_low=low, ratio_high=high, verdict=verdict)
            for i, (ratio, low, high, verdict) in enumerate(ratios * 12)
        ]
        path, page = self.folder / "compared.json", self.folder / "page.html"
        path.write_text(json.dumps(comparison(cases)))
        write_page(page, "--compare", path)
        self.open(page, width=390)
        self.show_all()
        self.assertEqual(len(self.each(".plot [data-series] use")), 36)
        self.of(".plot", "node.focus()")
        self.browser.press("Home")
        self.assertIn("0.5", self.of(".tip", "node.innerText"))
        self.assert_quiet(390)
