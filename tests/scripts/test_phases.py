"""scripts/phases.py: samples by their place in a GPU's queue."""


from support import REPOSITORY, RunTest, output_of
import phases

COMMITTED = REPOSITORY / "results" / "h200" / "measuring" / "phases.csv"


class Phases(RunTest):
    def test_a_point_is_the_sample_less_the_median_of_its_work(self):
        figure = phases.draw({(1, 4096): [(0, 100.0), (1, 110.0), (2, 120.0)], (2, 4096): [(0, 900.0)]})
        drawn = [list(line.get_ydata()) for line in figure.axes[0].lines[::2]]
        self.assertEqual(drawn, [[-10.0], [0.0], [10.0]])
        self.assertEqual([axes.get_ylabel().split("\n")[0] for axes in figure.axes], ["1 launch", "2 launches"])

    def test_the_committed_samples_are_drawn_and_other_files_refused_with_their_line(self):
        figure = self.folder / "x.svg"
        self.assertEqual(output_of(phases.main, COMMITTED, "--out", figure), (0, "", ""))
        self.assertGreater(figure.stat().st_size, 1000)
        path = self.folder / "samples.csv"
        for text, message in (
            ("a,b\n1,2\n", "samples.csv:1: the columns n, launches, round, before, ns"),
            ("n,launches,round,before,ns\n4096,1,0,0,fast\n", "samples.csv:2: numbers"),
            ("n,launches,round,before,ns\n", "no samples"),
        ):
            path.write_text(text)
            code, _, errors = output_of(phases.main, path, "--out", figure)
            self.assertEqual(code, 2)
            self.assertIn(message, errors)
