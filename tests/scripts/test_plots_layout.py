"""Where the texts of a figure stand: none leaves it, none lies on another or on what it names."""

import unittest

from support import RunTest, counted, record
import drawing
import look
import make_plots
import records


class Layout(RunTest):
    def figure(self, lines, plot):
        run = records.load_run(self.write_run(lines))
        plot = make_plots.complete(plot, "plot")
        figure = drawing.draw(plot, run.rows, [], run)
        self.addCleanup(drawing.plt.close, figure)
        figure.canvas.draw()
        return figure

    def test_the_small_print_stands_in_the_figure(self):
        figure = self.figure([record()], {"name": "dots", "x": "variant", "y": "time_ns"})
        (told,) = figure.texts
        box = told.get_window_extent()
        self.assertIn("NVIDIA Test", told.get_text())
        self.assertGreater(min(box.x0, box.y0), 0)
        self.assertLess(box.y1, figure.axes[0].get_window_extent().y0, "below the panel")

    def test_numbers_of_dots_do_not_run_into_the_next_panel(self):
        rows = [
            record(f"reduce/harris{i}", time_ns=1234.5 * i, time_low_ns=None, time_high_ns=None, percent_of_ceiling=9.0)
            for i in range(1, 6)
        ]
        quantities = ["time_ns", "bandwidth_gb_per_s", "percent_of_ceiling"]
        for axes in self.figure(rows, {"name": "dots", "x": "variant", "y": quantities}).axes:
            edge = axes.get_window_extent().x1
            self.assertEqual(len(axes.texts), 5)
            for number in axes.texts:
                self.assertLess(number.get_window_extent().x1, edge, number.get_text())

    def test_the_number_of_a_dot_stands_above_it(self):
        axes = self.figure([record(time_ns=5000.0)], {"name": "dots", "x": "variant", "y": "time_ns"}).axes[0]
        (number,) = axes.texts
        _, middle = axes.transData.transform((5.0, 0.0))
        radius = 6.5 / 2 * axes.figure.dpi / 72  # of the dot: 6.5 points wide
        self.assertEqual(number.get_text(), "5")
        self.assertGreater(number.get_window_extent().y0, middle + radius)

    def test_the_number_of_a_stacked_bar_stands_beside_its_middle(self):
        counts = ("blocks", "threads", "shared_bytes", "resident_blocks", "occupancy", "bytes_read", "bytes_written")
        launch = {"kernel": "k", "limiter": "blocks", "cooperative": False, **dict.fromkeys(counts, 1)}
        plot = {"name": "dots", "x": "variant", "y": "time_ns", "stacked": True}
        axes = self.figure([record(time_ns=5000.0, launches=[{**launch, "time_ns": 4000.0}])], plot).axes[0]
        (number,) = axes.texts
        box = number.get_window_extent()
        _, middle = axes.transData.transform((5.0, 0.0))
        self.assertAlmostEqual((box.y0 + box.y1) / 2, middle, delta=2)  # pixels; the text is about 10 high

    def test_ticks_of_large_counts_in_a_narrow_panel_do_not_touch(self):
        quantities = ["barriers", "conflicts", "wavefronts"]
        rows = [counted("reduce/harris1", **dict.fromkeys(quantities, 130_000_000))]
        for axes in self.figure(rows, {"name": "bars", "x": "variant", "y": quantities}).axes:
            low, high = axes.get_xlim()
            shown = [tick for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
            boxes = [tick.label1.get_window_extent() for tick in shown]
            self.assertGreaterEqual(len(boxes), 2)
            for left, right in zip(boxes, boxes[1:], strict=False):
                self.assertLess(left.x1, right.x0)


class Looks(unittest.TestCase):
    def test_members_of_a_group_share_its_colour_and_groups_past_the_palette_begin_again(self):
        groups = [["a", "b"], *([name] for name in "cdefghi")]  # eight: as many as there are colours
        found = look.styles({"groups": [*groups, ["j"]]}, [*"abcdefghij", "free"])
        first, dashed = ("#0072B2", "-", "o"), ("#0072B2", (0, (4, 1.5)), "s")
        self.assertEqual((found["a"], found["b"], found["j"]), (first, dashed, first))
        self.assertEqual([found[name][0] for name in "ci"], ["#D55E00", "#8A8A8A"])
        # What is in no group takes the tenth colour, the second of the palette, in its second turn.
        self.assertEqual(found["free"], ("#D55E00", (0, (4, 1.5)), "s"))


if __name__ == "__main__":
    unittest.main()
