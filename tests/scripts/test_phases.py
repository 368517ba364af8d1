"""scripts/phases.py: samples by their place in a GPU's queue."""

import contextlib
import io
from pathlib import Path
import tempfile
import unittest

import support
import phases

COMMITTED = support.REPOSITORY / "results" / "h200" / "measuring" / "phases.csv"


class Phases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def written(self, text):
        path = self.folder / "samples.csv"
        path.write_text(text)
        return path

    def told(self, text):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            code = phases.main([str(self.written(text)), "--out", str(self.folder / "x.svg")])
        self.assertEqual(code, 2)
        self.assertFalse((self.folder / "x.svg").exists())
        return errors.getvalue()

    def test_each_work_has_its_samples_in_order(self):
        samples = phases.read_samples(
            self.written("n,launches,round,before,ns\n4096,2,0,3,10\n4096,1,0,0,5\n4096,2,1,1,30\n")
        )
        self.assertEqual(samples, {(2, 4096): [(3, 10.0), (1, 30.0)], (1, 4096): [(0, 5.0)]})

    def test_a_point_is_the_sample_less_the_median_of_its_work(self):
        figure = phases.draw({(1, 4096): [(0, 100.0), (1, 110.0), (2, 120.0)], (2, 4096): [(0, 900.0)]})
        drawn = [list(line.get_ydata()) for line in figure.axes[0].lines[::2]]
        self.assertEqual(drawn, [[-10.0], [0.0], [10.0]])
        self.assertEqual([axes.get_ylabel().split("\n")[0] for axes in figure.axes], ["1 launch", "2 launches"])

    def test_one_sample_far_off_moves_no_point(self):
        figure = phases.draw({(1, 4096): [(0, 100.0), (1, 110.0), (2, 120.0), (3, 5000.0), (0, 90.0)]})
        drawn = {tuple(line.get_ydata()) for line in figure.axes[0].lines}
        points = {(-10.0, -20.0), (0.0,), (10.0,), (4890.0,)}
        medians = {(value, value) for value in (-15.0, 0.0, 10.0, 4890.0)}
        self.assertEqual(drawn, points | medians)

    def test_the_committed_samples_are_drawn(self):
        self.assertEqual(phases.main([str(COMMITTED), "--out", str(self.folder / "x.svg")]), 0)
        self.assertGreater((self.folder / "x.svg").stat().st_size, 1000)

    def test_without_a_name_for_the_figure_it_is_asked_for(self):
        with contextlib.redirect_stderr(io.StringIO()) as errors, self.assertRaises(SystemExit) as end:
            phases.main([str(COMMITTED)])
        self.assertEqual(end.exception.code, 2)
        self.assertIn("required: --out", errors.getvalue())

    def test_other_files_are_refused_with_their_line(self):
        self.assertIn("samples.csv:1: the columns n, launches, round, before, ns", self.told("a,b\n1,2\n"))
        self.assertIn("samples.csv:2: numbers", self.told("n,launches,round,before,ns\n4096,1,0,0,fast\n"))
        self.assertIn("no samples", self.told("n,launches,round,before,ns\n"))


if __name__ == "__main__":
    unittest.main()
