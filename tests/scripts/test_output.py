"""What scripts write: never one of a run's own files, whatever it is called, and never half a file."""

import json
import os
from unittest import mock

from support import output_of, record
import make_plots
from pages import ReportTest, comparison
import plot_compare
from shared import output
from shared.records import RecordError

PLOT = {"name": "time", "x": "n", "y": "time_ns", "series": ["variant"]}


class Output(ReportTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.write_run([record()], plots=[PLOT])
        (self.run_folder / "tables" / "run.csv").write_text("n\n")
        self.own = {path: path.read_bytes() for path in self.run_folder.rglob("*") if path.is_file()}

    def expect_refused(self, *arguments):
        message = self.refusal(*arguments)
        self.assertIn("cannot be written: ", message)
        self.assertEqual({path: path.read_bytes() for path in self.own}, self.own, arguments)

    def test_no_page_is_written_over_a_file_of_a_run(self):
        run, elsewhere = self.run_folder, self.folder / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "link.html").symlink_to(run / "records.jsonl")
        (elsewhere / "folder").symlink_to(run)
        os.link(run / "records.jsonl", elsewhere / "hard.html")
        compared = self.folder / "compared.json"
        compared.write_text(json.dumps(comparison([])))
        self.own[compared] = compared.read_bytes()
        for path in (*self.own, elsewhere / "link.html", elsewhere / "hard.html", elsewhere / "folder/run.json",
                     run / ".." / "run" / "records.jsonl", elsewhere / "folder/tables/new.csv"):
            if path != compared:
                self.expect_refused(run, "-o", path)
            if path.name != "hard.html":  # of a run that the page does not read: renaming leaves its records
                self.expect_refused("--compare", compared, "-o", path)

    def test_no_figure_is_written_over_a_file_of_a_run(self):
        (self.run_folder / "plots").mkdir()
        drawn = self.run_folder / "plots" / "time.svg"
        for make in (drawn.symlink_to, drawn.hardlink_to):
            make(self.run_folder / "records.jsonl")
            code, _, errors = output_of(make_plots.main, self.run_folder, "--redbench", "")
            self.assertEqual(code, 2)
            self.assertIn("time.svg: cannot be written: ", errors)
            self.assertEqual({path: path.read_bytes() for path in self.own}, self.own)
            drawn.unlink()
        compared = self.folder / "compared.svg"  # is its own figure
        compared.write_text(json.dumps(comparison([])))
        self.assertEqual(output_of(plot_compare.main, compared)[0], 2)

    def test_a_table_replaces_the_one_between_its_lines(self):
        page, lines = self.folder / "page.md", ("<!-- begin -->", "<!-- end -->")
        begin, end = lines
        page.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
        self.assertEqual(output.with_tables(page, {lines: "new\n"}), f"before\n{begin}\nnew\n{end}\nafter\n")
        for damaged in ("before\n", f"{begin}\n", f"{end}\n{begin}\n", f"{begin}\n{begin}\n{end}\n"):
            page.write_text(damaged)
            with self.subTest(damaged), self.assertRaisesRegex(RecordError, "not once the lines"):
                output.with_tables(page, {lines: ""})

    def test_a_full_disk_leaves_the_old_page(self):
        page = self.folder / "page.html"
        page.write_text("old")
        with mock.patch("os.replace", side_effect=OSError(28, "No space left on device")):
            self.assertIn("page.html: cannot be written: No space", self.refusal(self.run_folder, "-o", page))
        self.assertEqual(page.read_text(), "old")
        self.assertEqual(list(self.folder.glob("page.html?*")), [])
