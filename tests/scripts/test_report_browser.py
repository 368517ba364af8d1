"""The report in a browser: it says nothing to the console, asks for nothing, and does what its buttons and keys say."""

import contextlib
import io
import json
from pathlib import Path
import tempfile
import unittest

from support import REPOSITORY, RunTest
import browser
import hostile
import make_report

RUNS = REPOSITORY / "results" / "h200"
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


def write_page(path, *arguments):
    with contextlib.redirect_stdout(io.StringIO()):
        code = make_report.main([*map(str, arguments), "-o", str(path), "--redbench", ""])
    assert code == 0


class BrowserTest(RunTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def assert_quiet(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), [])

    def run_script(self, script):
        return self.browser.run(script)

    def show(self, selector):
        """Brings an element to the middle of the window; of a figure, waits until it is drawn."""
        node = f"document.querySelector({json.dumps(selector)})"
        self.run_script(f"{node}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        if "figure" in selector:
            self.browser.wait(f"{node}.dataset.drawn === 'true'")

    def each(self, selector, expression="node.textContent.trim()"):
        """An expression's value of each node that the selector finds."""
        return self.run_script(f"[...document.querySelectorAll({json.dumps(selector)})].map((node) => {expression})")

    def middle_of(self, selector, index=0):
        """The middle of an element in the window."""
        return self.run_script(
            f"(() => {{ const r = document.querySelectorAll({json.dumps(selector)})[{index}].getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )


@browser.needed
class Report(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.page = Path(folder.name) / "report.html"
        write_page(cls.page, RUNS / "slides", RUNS / "martin2012")  # with the claims of RUNS, and a ladder's why.json

    def open(self, **how):
        self.browser.open(self.page, **how)

    def test_it_is_quiet_at_all_widths_and_colours(self):
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                with self.subTest(f"{width} {scheme}"):
                    self.open(width=width, scheme=scheme)
                    figures = self.run_script("document.querySelectorAll('figure').length")
                    self.assertGreater(figures, 8)
                    for index in range(figures):
                        self.show(f'figure[data-figure="{index}"]')
                        self.assertEqual(self.run_script(OVERLAPS % index), [], f"figure {index}")
                    self.assertLessEqual(self.run_script("document.documentElement.scrollWidth"), width)
                    self.run_script("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
                    self.assertEqual(self.run_script(CONTRAST), [])
                    self.assertLessEqual(self.run_script("document.documentElement.scrollWidth"), width)
                    dark = self.run_script("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 26)"
                    self.assertEqual(dark, scheme == "dark")
                    self.assert_quiet()

    def test_a_column_sorts_up_down_and_back(self):
        self.open()
        table = '[id="run-martin2012-fig4"] > .scroll table'

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
        figure = '[id="run-martin2012-fig4"] figure:first-of-type'
        self.show(figure)
        marks = f"{figure} .plot [data-series]:not([display]) use"  # 16 points and an interval's band for each series
        self.assertEqual(len(self.each(marks)), 85)
        self.assertEqual(len(set(self.each(f"{figure} .legend .swatch"))), 5, "series differ in more than colour")
        button = f"document.querySelector('{figure} .legend button')"
        for clicks, count, pressed in ((1, 68, "false"), (1, 85, "true"), (2, 17, "true"), (2, 85, "true")):
            self.run_script(f"{button}.dispatchEvent(new MouseEvent('click', {{ detail: {clicks} }}))")
            self.assertEqual(len(self.each(marks)), count)
            self.assertEqual(self.run_script(f"{button}.getAttribute('aria-pressed')"), pressed)
        self.run_script(f"{button}.click()")
        self.assertIn("0", self.each(f"{figure} .plot text"))
        self.run_script(f"document.querySelector('{figure} [data-axis=logy]').click()")
        self.assertNotIn("0", self.each(f"{figure} .plot text"), "a logarithmic axis")
        self.assertEqual(len(self.each(marks)), 68, "what is hidden stays so")

    def test_a_point_says_the_number_of_its_record_and_leads_to_it(self):
        self.open()
        figure = '[id="run-slides-table"] figure'
        self.show(figure)
        x, y = self.middle_of(f"{figure} .plot [data-series='0'] use")
        self.browser.point(x, y)
        tip = self.run_script(f"document.querySelector('{figure} .tip').innerText")
        row = '[id="run-slides-table"] > .scroll tbody tr'
        shown = self.run_script(f"document.querySelector('{row} td[data-column=time_ns]').textContent.trim()")
        self.assertIn(f"{shown} µs", tip)
        self.assertIn("harris1", tip)
        self.browser.point(x, y, click=True)
        self.browser.wait("document.getElementById('panel').open")
        panel = self.run_script("document.getElementById('panel').innerText")
        (line,) = [r for r in (RUNS / "slides/table/records.jsonl").read_text().splitlines() if "reduce/harris1 " in r]
        original = json.loads(line)
        self.assertIn(original["key"], panel)
        shown = json.loads(self.run_script("document.querySelector('#panel .json').textContent"))
        for name in ("time_ns", "time_low_ns", "launches", "clocks", "source_hash", "samples_repeated"):
            self.assertEqual(shown[name], original[name])
        for unit in (f"{original['time_ns']:g} ns", "GB/s", "MHz", "°C", "bytes"):
            self.assertIn(unit, panel.replace("\u202f", "").replace("\u00a0", " "))

    def test_a_variant_leads_to_its_source(self):
        self.open()
        self.run_script("document.querySelector('[id=\"run-slides-table\"] tbody th a').click()")
        self.browser.wait("document.getElementById('panel').open")
        text = (REPOSITORY / "kernels/reduce/harris1.cu").read_text(encoding="utf-8")
        self.assertEqual(self.each(".source code", "node.textContent.trimEnd()"), text.splitlines())
        self.run_script("location.hash = '#kernels/reduce/harris1.cu:7'")
        self.browser.wait("document.querySelector('.source .marked')?.id === 'kernels/reduce/harris1.cu:7'")

    def test_the_keyboard_reaches_all(self):
        self.open()
        self.browser.press("Tab")
        self.assertEqual(self.run_script("document.activeElement.className"), "skip")
        self.run_script("document.querySelector('[id=\"run-slides-table\"] figure').scrollIntoView()")
        self.run_script("document.querySelector('[id=\"run-slides-table\"]').setAttribute('tabindex', '-1')")
        self.run_script("document.querySelector('[id=\"run-slides-table\"]').focus()")
        seen = []
        for _ in range(60):
            self.browser.press("Tab")
            seen += self.each(":focus", "`${node.tagName}.${node.getAttribute('class')}`")
            (outline,) = self.each(":focus", "getComputedStyle(node).outlineStyle")
            self.assertNotEqual(outline, "none", seen[-1])
        for wanted in ("BUTTON.chip", "BUTTON.plain scale", "svg.plot", "DIV.scroll", "BUTTON.sort", "A.code"):
            self.assertIn(wanted, seen)

    def test_arrow_keys_go_from_point_to_point(self):
        self.open()
        figure = '[id="run-slides-table"] figure'
        self.show(figure)
        self.run_script(f"document.querySelector('{figure} .plot').focus()")
        tip = f"document.querySelector('{figure} .tip').innerText"
        steps = (("Down", "harris1"), ("Down", "harris2"), ("Right", "Tesla C2070"), ("Left", "measured"))
        for key, text in ((f"Arrow{direction}", text) for direction, text in steps):
            self.browser.press(key)
            self.assertIn(text, self.run_script(tip), key)
        self.browser.press("Enter")
        self.browser.wait("document.getElementById('panel').open")
        self.assertEqual(self.run_script("document.getElementById('panel-title').textContent"), "reduce/harris2")
        self.assertEqual(self.run_script("document.activeElement.closest('dialog')?.id"), "panel")
        self.browser.press("Escape")
        self.browser.wait("!document.getElementById('panel').open")
        self.assertEqual(self.run_script("document.activeElement.getAttribute('class')"), "plot")
        # The dialog's `close`, which takes the address back, comes after it is closed.
        self.browser.wait("location.hash === ''")

    def test_claims_are_filtered_by_verdict(self):
        self.open()
        verdicts = (".claim:not([hidden])", "node.dataset.verdict")
        self.assertEqual(set(self.each(*verdicts)), {"holds", "does not hold"})
        self.run_script("document.querySelector('.filters [data-verdict=holds]').click()")
        self.assertEqual(set(self.each(*verdicts)), {"does not hold"})

    def test_buttons_are_buttons_and_heads_have_a_scope(self):
        self.open()
        self.assertEqual(self.run_script("document.querySelectorAll('button:not([type=button]), [onclick]').length"), 0)
        self.assertEqual(self.run_script("document.querySelectorAll('th:not([scope])').length"), 0)
        identities = self.each("[id]", "node.id")
        self.assertEqual(len(identities), len(set(identities)))
        self.assertLessEqual(set(self.each("nav a", "node.hash.slice(1)")), set(identities))


@browser.needed
class Made(BrowserTest):
    """Pages of runs that are made up."""

    def test_what_strangers_wrote_stays_text(self):
        texts = {"name": "evil/run", "plots": hostile.plots(), "report": hostile.report()}
        run = self.write_run(hostile.records(), **texts, **hostile.facts())
        (self.folder / "claims.json").write_text(json.dumps(hostile.claims(run)))
        (run / "why.json").write_text(json.dumps(hostile.reasons()))
        page = self.folder / "page.html"
        write_page(page, run, "--title", hostile.SCRIPT)
        for width in (1280, 390):
            self.browser.open(page, width=width)
            for index in range(self.run_script("document.querySelectorAll('figure').length")):
                self.show(f'figure[data-figure="{index}"]')
            self.run_script("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
            for number in range(self.run_script("document.querySelectorAll('tr[data-record]').length")):
                self.run_script(f"location.hash = '#record-{number}'")
                self.browser.wait("document.getElementById('panel').open")
                if number == 3:
                    shown = json.loads(self.run_script("document.querySelector('#panel .json').textContent"))
                    self.assertEqual(set(shown["axes"]), {"values", *hostile.NAMES})
                self.run_script("document.getElementById('panel').close()")
            self.assertLessEqual(self.run_script("document.documentElement.scrollWidth"), width)
            self.assertIsNone(self.run_script("window.hit"))
            self.assertIsNone(self.run_script("({}).polluted"))
            self.assertEqual(self.run_script("document.querySelectorAll('img, b b').length"), 0)
            self.assertEqual(self.run_script("document.querySelector('h1').textContent"), hostile.SCRIPT)
            self.assert_quiet()


@browser.needed
class Comparison(BrowserTest):
    def test_a_comparison_is_quiet_and_has_its_figure(self):
        case = {
            "key": "x", "variant": "reduce/harris1", "problem": "reduce", "n": 1024, "type": "i32", "operator": "sum",
            "axes": {"values": "uniform"}, "device": "cuda:0", "mode": "cold", "first_ns": 3000.0, "second_ns": 2000.0,
        }
        ratios = [(0.5, 0.4, 0.6, "faster"), (1.0, 0.99, 1.01, "same"), (2.0, 1.5, None, "slower")]
        ratios.append((None, None, None, "undecided"))
        cases = [
            {**case, "n": 1024 << i, "ratio": r, "ratio_low": low, "ratio_high": high, "verdict": verdict, "notes": []}
            for i, (r, low, high, verdict) in enumerate(ratios * 12)
        ]
        path = self.folder / "compared.json"
        path.write_text(json.dumps({"schema": 1, "first": "a", "second": "b", "threshold_percent": 1, "cases": cases}))
        page = self.folder / "page.html"
        write_page(page, "--compare", path)
        for width in (1280, 390):
            self.browser.open(page, width=width)
            self.show("figure")
            self.assertLessEqual(self.run_script("document.documentElement.scrollWidth"), width)
            self.assertEqual(self.run_script("document.querySelectorAll('.plot [data-series] use').length"), 36)
            self.run_script("document.querySelector('.plot').focus()")
            self.browser.press("Home")
            self.assertIn("0.5", self.run_script("document.querySelector('.tip').innerText"))
            self.assertEqual(self.run_script(CONTRAST), [])
            self.assert_quiet()


if __name__ == "__main__":
    unittest.main()
