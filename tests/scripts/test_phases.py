"""scripts/phases.py: samples by their place in a GPU's queue."""

import matplotlib.pyplot as plt

from support import RunTest
import phases
from shared.records import RecordError

HEAD = "n,launches,round,before,ns\n"


class Phases(RunTest):
    def read(self, text):
        (self.folder / "samples.csv").write_text(text)
        return phases.read_samples(self.folder / "samples.csv")

    def test_a_point_is_the_sample_less_the_median_of_its_work(self):
        samples = self.read(HEAD + "4096,1,0,0,100\n4096,1,1,1,110\n4096,1,2,2,120\n4096,2,0,0,900\n")
        figure = phases.draw(samples)
        self.addCleanup(plt.close, figure)
        drawn = [list(line.get_ydata()) for line in figure.axes[0].lines[::2]]
        self.assertEqual(drawn, [[-10.0], [0.0], [10.0]])
        self.assertEqual([axes.get_ylabel().split("\n")[0] for axes in figure.axes], ["1 launch", "2 launches"])

    def test_other_files_are_refused(self):
        for text in ("a,b\n1,2\n", HEAD + "4096,1,0,0,fast\n", HEAD):
            with self.subTest(text), self.assertRaisesRegex(RecordError, "samples.csv: "):
                self.read(text)
