"""The committed results are what this source would measure: plots and the tables of the READMEs are of rows that are
not stale, and were made from the rows that stand beside them; so are those of docs/findings.md and docs/which.md."""

from functools import cache
import json
import re
import shutil

from support import REPOSITORY, RunTest, call, redbench
import findings
import make_plots
from shared import output, records

RESULTS = REPOSITORY / "results" / "h200" / "eilers2014"
READMES = [REPOSITORY / "README.md", findings.PAGE, *sorted((REPOSITORY / "kernels").glob("*/README.md"))]
# Runs below it wait for a GPU to be measured again: their figures say that they are stale, and a README that has
# them says so.
WAITING = ("results/h100/best/reduce/", "results/h100/fastest/reduce/")
SAYS_SO = "wait to be measured again"
# Of a link: the run's folder.
LINKED_RUN = re.compile(r"\]\((?:\.\./)*(results/[^)]+?)/(?:tables|plots)/")


def waits(run):
    """Of a run's folder, as git knows it."""
    return f"{run}/".startswith(WAITING)


@cache
def runs():
    """The folders of the committed runs."""
    listed = call("git", "ls-files", "results/*/run.json", check=True).stdout
    return [(REPOSITORY / path).parent for path in listed.splitlines()]


@cache
def stale_rows():
    """By the folder of a run, as git knows it: its rows that are stale, with the reason."""
    folders = [run.relative_to(REPOSITORY) for run in runs()]
    return {
        folder: [f"{row['key']} {row['mode']}: {row['stale']}" for row in rows if row["stale"]]
        for folder, rows in json.loads(redbench("results", "--json", *folders)).items()
    }


class CommittedResults(RunTest):
    def test_no_plot_is_of_stale_rows(self):
        stale = stale_rows()
        plotted = [run for run in runs() if any(run.glob("plots/*"))]
        self.assertGreater(len(plotted), 10)
        for run in plotted:
            path = str(run.relative_to(REPOSITORY))
            with self.subTest(path):
                self.assertEqual(bool(stale[path]), waits(path), stale[path])

    def test_no_record_of_the_modelled_device_is_stale(self):
        # They name source lines, so that a comment of a kernel may make them stale; no GPU is needed to mend that.
        for run, stale in stale_rows().items():
            _, device, config = run.split("/", 2)
            if device.startswith("simt"):
                again = f"build/redbench run configs/{config}.json -d {device.replace('-', ':')} --out {run} --replace"
                self.assertEqual(stale, [], f"make it again: {again}, then scripts/report_results.sh")

    def test_no_table_of_a_readme_is_of_stale_rows(self):
        stale = stale_rows()
        linked = {(readme, run) for readme in READMES for run in LINKED_RUN.findall(readme.read_text())}
        self.assertGreater(len(linked), 8)
        for readme, run in sorted(linked):
            with self.subTest(f"{readme.parent.name}: {run}"):
                if waits(run):
                    self.assertIn(SAYS_SO, readme.read_text())
                else:
                    self.assertEqual(stale[run], [])

    def test_the_ratios_to_the_library_and_to_an_atomic_are_those_of_the_records(self):
        baselines = ("cub_sort_reduce", "global_atomic")
        columns, *lines = self.table_of("multireduce")
        self.assertGreater(len(lines), 10)
        for name, *cells in lines:
            (figure,) = re.findall(r"(fig[\d.]+)/plots", name)
            labels = "degenerate" if ", equal" in name else "uniform"
            shown = {}
            for row in records.load_run(RESULTS / figure).rows:
                if row.get("time_ns") and row["device"].startswith("cuda") and row["labels"] == labels:
                    variant = records.short_name(row["variant"])
                    shown.setdefault(records.format_size(row["m"]), {}).setdefault(variant, []).append(row["time_ns"])
            for m, cell in zip(columns[1:], cells, strict=True):
                times = {variant: min(of) for variant, of in shown.get(m, {}).items()}
                others = [time for variant, time in times.items() if variant not in baselines]
                there = [times[variant] / min(others) for variant in baselines if variant in times and others]
                with self.subTest(name=name, m=m):
                    self.assert_told(cell, there)

    def test_the_ratios_to_the_librarys_histogram_are_those_of_the_records(self):
        columns, *lines = self.table_of("histogram")
        times = {
            (figure, records.format_size(row["n"]), records.short_name(row["variant"])): row["time_ns"]
            for figure in ("a1", "a2")
            for row in records.load_run(RESULTS / figure).rows
            if row.get("update") != 1  # the table is of updates in software
        }
        self.assertEqual(len(lines), 5)
        for variant, *cells in lines:
            for n, cell in zip(columns[1:], cells, strict=True):
                there = [times[figure, n, variant] / times[figure, n, "cub"] for figure in ("a1", "a2")]
                with self.subTest(variant=variant, n=n):
                    self.assert_told(cell, there)

    def table_of(self, family):
        """The first table of the section about the library, as rows of cells."""
        text = (REPOSITORY / "kernels" / family / "README.md").read_text()
        section = text.split("### Against the library and an atomic\n")[1]
        table = re.search(r"^(\|.*\n)+", section, re.MULTILINE)[0].splitlines()
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in [table[0], *table[2:]]]

    def assert_told(self, cell, ratios):
        """Each in the digits that it is shown with."""
        shown = cell.split(" and ") if cell else []
        self.assertEqual(len(shown), len(ratios))
        for text, ratio in zip(shown, ratios, strict=True):
            self.assertEqual(text, f"{ratio:.{len(text.partition('.')[2])}f}")

    def test_the_findings_are_those_of_the_records(self):
        for page, tables in findings.tables().items():
            with self.subTest(page.name):
                self.assertEqual(output.with_tables(page, tables), page.read_text())

    def test_the_maps_are_those_of_the_records(self):
        drawn = findings.pictures()
        self.assertEqual(set(drawn), set(findings.WHICH.with_suffix("").iterdir()))
        for path, text in drawn.items():
            with self.subTest(path.name):
                self.assertEqual(path.read_text(), text)

    def test_each_difference_of_the_findings_holds(self):
        claims = findings.answers("--from", str(findings.DIFFERENCES))
        self.assertEqual(len(claims), 12)
        for claim in claims:
            with self.subTest(claim["id"]):
                if not any(map(findings.is_stale, claim["parts"])):
                    self.assertEqual(claim["verdict"], "holds", claim["why"])

    def test_each_plot_was_drawn_from_the_rows_beside_it(self):
        drawn, stale_of = 0, stale_rows()
        for folder in runs():
            # Of an H100 there are runs that claims read and no page shows: these have no figures.
            if folder.is_relative_to(REPOSITORY / "results" / "h100") and not (folder / "plots").is_dir():
                continue
            run = records.load_run(folder)
            stale = {text.partition(": ")[0] for text in stale_of[str(folder.relative_to(REPOSITORY))]}
            for entry in run.config.get("plots", []):
                plot = make_plots.complete(entry, str(folder))
                rows = make_plots.choose_rows(run, plot)
                if not rows:
                    continue
                path = folder / "plots" / f"{plot['name']}.svg"
                with self.subTest(str(path)):
                    drawn += 1
                    shown = path.read_bytes()
                    self.assertIn(make_plots.digest_of(rows, plot).encode(), shown)
                    waiting = any(f"{row['key']} {row['mode']}" in stale for row in rows)
                    self.assertEqual(b"rows are stale" in shown, waiting)
        self.assertGreater(drawn, 20)

    def test_the_readmes_picture_is_of_the_rows_of_the_svg_beside_it(self):
        (picture,) = re.findall(r"\]\((results/\S+)\.png\)", READMES[0].read_text())
        digest = re.search(rb"rows [0-9a-f]{16}", (REPOSITORY / f"{picture}.svg").read_bytes())[0]
        self.assertIn(digest, (REPOSITORY / f"{picture}.png").read_bytes())

    def test_each_table_was_made_from_the_rows_beside_it(self):
        copies = {folder: self.folder / folder.relative_to(REPOSITORY) for folder in runs()}
        for folder, copy in copies.items():
            copy.mkdir(parents=True)
            for path in (folder / "run.json", records.file_of(folder)):
                shutil.copy(path, copy)
            redbench("tables", copy)
            for table in sorted((copy / "tables").glob("*.md")):
                with self.subTest(str(table)):
                    committed = folder / "tables" / table.name
                    self.assertEqual(table.read_text(), committed.read_text())
