"""The parts of scripts/report/ by themselves: what each number, name and mark of a page is made from."""

import json
import unittest

from support import RunTest, record
import records
from report import environment, extras, figures, page, simulated

THIN = "\u202f"


class Filters(unittest.TestCase):
    def test_each_shows_its_value_in_its_own_way(self):
        for name, value, shown in (
            ("size", 1 << 24, "16 Mi"),
            ("size", 1000, "1000"),
            ("size", 12345, "12345"),
            ("size", "many", "many"),
            ("size", -1, "-1"),
            ("brief", 1 << 24, f"16{THIN}777{THIN}216"),
            ("brief", 0.12345, "0.1235"),
            ("brief", True, ""),
            ("four", 1.5, "1.500"),
            ("four", 12, "12"),
            ("nanoseconds", 999.0, "999.0 ns"),
            ("nanoseconds", 172_000, "172.0 µs"),
            ("nanoseconds", 1_720_000, "1.720 ms"),
            ("nanoseconds", 17_200_000_000, "17.20 s"),
            ("nanoseconds", None, ""),
            ("sortable", 1.5, "1.5"),
            ("sortable", None, ""),
            ("slug", "Fig. 4.1, left", "fig.-4.1-left"),
            ("basename", "a/b/c.cu", "c.cu"),
            ("basename", "a/" + 298 * "b", 298 * "b"),
            ("basename", "a/" + 299 * "b", 298 * "b" + "… (301 characters, cut here)"),
            ("superscript", 12, "¹²"),
        ):
            with self.subTest(filter=name, value=value):
                self.assertEqual(page.FILTERS[name](value), shown)


class Environment(RunTest):
    def facts(self, *rows, **facts):
        run = records.load_run(self.write_run(list(rows), folder=f"run{len(list(self.folder.iterdir()))}", **facts))
        return {(fact.group, fact.name): list(fact.texts) for fact in environment.environment_of([run])}

    def test_each_fact_is_read_from_its_own_place(self):
        build = {"version": "1.2", "type": "Release", "compiler": "g++ 12", "flags": "-O2", "cuda_toolkit": "12.4"}
        build |= {"cuda_flags": "-lineinfo", "cuda_architectures": "90"}
        host = {"cpu": "Xeon", "cores": 12, "last_level_cache_bytes": 3 << 20, "memory_bytes": 5 << 30}
        host |= {"system": "Linux"}
        session = {"driver": "550.1", "commit": "abc", "dirty": False, "build": build, "host": host}
        session |= {"started": "2026-11-22T10:00:00Z", "measure": {"forks": 5, "mode": ["cold", "warm"]}}
        device = {"name": "cuda:0", "capability": 9.0, "multiprocessors": 132, "max_warps": 64}
        device |= {"shared_bytes": 233472, "l2_bytes": 60 << 20, "memory_bytes": 139 << 30}
        told = self.facts(record(), sessions=[session], device=device, config={"seed": 7})
        self.assertEqual(
            told,
            {
                ("Device", "name"): ["NVIDIA Test"],
                ("Device", "compute capability"): ["9.0"],
                ("Device", "multiprocessors"): ["132"],
                ("Device", "warps per multiprocessor"): ["64"],
                ("Device", "shared memory per multiprocessor"): ["228 KiB"],
                ("Device", "L2"): ["60 MiB"],
                ("Device", "memory"): ["139 GiB"],
                ("Device", "driver"): ["550.1"],
                ("Program", "commit"): ["abc"],
                ("Program", "redbench"): ["1.2"],
                ("Program", "build"): ["Release"],
                ("Program", "compiler"): ["g++ 12"],
                ("Program", "flags"): ["-O2"],
                ("Program", "CUDA toolkit"): ["12.4"],
                ("Program", "CUDA flags"): ["-lineinfo"],
                ("Program", "CUDA architectures"): ["90"],
                ("Host", "CPU"): ["Xeon"],
                ("Host", "cores"): ["12"],
                ("Host", "last-level cache"): ["3 MiB"],
                ("Host", "memory"): ["5 GiB"],
                ("Host", "system"): ["Linux"],
                ("Measuring", "date"): ["2026-11-22"],
                ("Measuring", "seed"): ["7"],
                ("Measuring", "measure.forks"): ["5"],
                ("Measuring", "measure.mode"): ["cold, warm"],
            },
        )

    def test_clocks_are_the_span_of_all_rows(self):
        clocks = [
            {"sm_mhz": sm, "memory_mhz": 3201, "temperature_c": heat, "throttled_by": why}
            for sm, heat, why in ((1500, 41, []), (1980, 39, ["power"]), (1200, 47, ["heat", "power"]), (1700, 40, []))
        ]
        told = self.facts(*(record(n=2**i, clocks=one) for i, one in enumerate(clocks)))
        self.assertEqual(told["Clocks", "SM clock"], ["1200 to 1980 MHz"])
        self.assertEqual(told["Clocks", "memory clock"], ["3201 MHz"])
        self.assertEqual(told["Clocks", "temperature"], ["39 to 47 °C"])
        self.assertEqual(told["Clocks", "throttled by"], ["power, heat"])


def launch(bytes_read=4096.0, **changed):
    told = {"kernel": "tree", "blocks": 8, "threads": 256, "shared_bytes": 1024, "cooperative": False}
    told |= {"resident_blocks": 8, "occupancy": 1.0, "limiter": "warps", "bytes_read": bytes_read}
    return {**told, "bytes_written": 64.0, **changed}


def entry(variant="reduce/harris1", **changed):
    """As records.load_published gives one."""
    told = {"figure": "fig1", "variant": variant, "device": "Old GPU", "n": 1024, "type": "i32", "operator": "sum"}
    told |= {"quantity": "time", "unit": "us", "relation": "=", "value": 5000.0, "source": "Table 1"}
    return {**told, "column": "time_ns", **changed}


class Extras(RunTest):
    def run_of(self, *rows):
        run = records.load_run(self.write_run(list(rows), folder=f"run{len(list(self.folder.iterdir()))}"))
        for number, row in enumerate(run.rows, 5):
            row["number"] = number
        return run

    def cells(self, extra):
        names = [name for name, _ in extra.headings]
        return [dict(zip(names, (cell.text for cell in row), strict=True)) for row in extra.rows]

    def test_each_launch_has_its_numbers_and_the_papers_of_its_own_number(self):
        launches = [
            launch(bytes_read=0.0, kernel="clear", limiter="blocks"),
            launch(kernel="first", blocks=16, occupancy=0.5, limiter="registers", registers=20),
            launch(kernel="second", blocks=1, threads=128),
        ]
        run = self.run_of(record(launches=launches, time_ns=None))
        quantity, unit = next(key for key, (column, _) in extras.LAUNCH_COLUMNS.items() if column == "blocks")
        _, factor = extras.LAUNCH_COLUMNS[quantity, unit]
        printed = [
            entry(quantity=quantity, unit=unit, launch=2, value=33.0, column=None),
            entry(quantity=quantity, unit=unit, launch=1, value=44.0, column=None, device="New GPU"),
            entry(quantity=quantity, unit=unit, launch=1, value=55.0, column=None, variant="reduce/harris2"),
        ]
        told = self.cells(extras.launch_table(run, printed))
        heading = extras.LAUNCH_FIELDS["blocks"].heading
        self.assertEqual([row["launch"] for row in told], ["0", "1", "2"])
        self.assertEqual([row["kernel"] for row in told], ["clear", "first", "second"])
        self.assertEqual([row["limited by"] for row in told], ["blocks", "registers", "warps"])
        self.assertEqual([row[heading] for row in told], ["8", "16", "1"])
        self.assertEqual([row[extras.LAUNCH_FIELDS["registers"].heading] for row in told], ["", "20", ""])
        table = extras.launch_table(run, printed)
        for row in table.rows:  # a column stands to the right with all of its cells, those without a number, too
            self.assertEqual([cell.number for cell in row], [number for _, number in table.headings])
        shown = [f"{value * factor:.6g}" for value in (33.0, 44.0)]
        self.assertEqual([row["Old GPU (published)"] for row in told], ["", "", shown[0]])
        self.assertEqual([row["New GPU (published)"] for row in told], ["", shown[1], ""])
        every = [entry(quantity=quantity, unit=unit, value=66.0, column=None)]
        told = self.cells(extras.launch_table(run, every))
        self.assertEqual([bool(row["Old GPU (published)"]) for row in told], [False, True, True], "but for the clear")

    def test_levels_are_those_of_the_trace_by_variant_or_by_case(self):
        trace = [
            {"access": "load", "lanes": 32, "cache_lines": 1},
            {"access": "store", "lanes": 16, "cache_lines": 8, "level": 0},
            {"access": "store", "lanes": 4, "cache_lines": 2, "level": 1},
        ]
        run = self.run_of(record(trace=trace), record("reduce/harris2", trace=trace[:2]))
        told = self.cells(extras.level_table(run))
        self.assertEqual(
            [list(row.values()) for row in told],
            [
                ["reduce/harris1", "0", "16", "8"],
                ["reduce/harris1", "1", "4", "2"],
                ["reduce/harris2", "0", "16", "8"],
            ],
        )
        rows = [record(trace=trace[:2]), record(n=4096, trace=trace[:2])]
        table = extras.level_table(self.run_of(*rows))
        self.assertEqual([row["variant"] for row in self.cells(table)], [row["key"] for row in rows])
        self.assertEqual([row[1].link for row in table.rows], ["#record-5", "#record-6"])

    def test_what_a_paper_prints_stands_beside_the_record_in_the_papers_unit(self):
        run = self.run_of(record(time_ns=6000.0), record(n=2048, time_ns=7000.0))
        printed = [
            entry(),
            entry(n=2048, relation="~", unit="ms", value=9e6, m=16),
            entry(quantity="speedup", unit=None, column=None, value=3.0, device="Another"),
            entry("reduce/harris2", value=12345678.0),
        ]
        for one in printed:
            if one["unit"] is None:
                del one["unit"]
        table = extras.published_table(run, printed)
        told = self.cells(table)
        self.assertEqual([row["published"] for row in told], ["5 us", "~ 9 ms", "3 ", f"12{THIN}345.7 us"])
        self.assertEqual([row["measured here"] for row in told], ["6.0 us", "", "", ""])
        self.assertEqual([row["case"] for row in told], ["n 1 Ki", "n 2 Ki m 16", "n 1 Ki", "n 1 Ki"])
        self.assertEqual([row["device"] for row in told], ["Old GPU", "Old GPU", "Another", "Old GPU"])
        self.assertEqual([row["variant"] for row in told], ["harris1", "harris1", "harris1", "harris2"])
        self.assertEqual([row["quantity"] for row in told], ["time", "time", "speedup", "time"])
        self.assertEqual(table.rows[0][5].link, "#record-5")
        self.assertEqual(table.title, "What the paper prints (4)")


class Published(RunTest):
    def test_a_papers_points_are_at_their_own_x_in_the_colour_of_their_variant(self):
        path = self.folder / "paper.csv"
        header = [*records.PUBLISHED_REQUIRED, "block"]
        rows = [
            {**entry("reduce/harris2", value="7"), "block": "512"},
            {**entry("reduce/harris1", value="5", relation="<"), "block": "256"},
            {**entry("reduce/harris1", value="6"), "block": "1024"},
            {**entry("reduce/harris1", value="4"), "block": ""},
            {**entry("reduce/harris3", value="9"), "block": "64"},
        ]
        lines = [",".join(header), *(",".join(str(row[name]) for name in header) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
        plot = {"name": "p", "x": "block", "y": "time_ns", "series": ["variant"], "published": {"file": str(path)}}
        measured = [
            record(f"reduce/harris{i}", time_ns=1000.0 * i + block, parameters={"block": block})
            for i in (1, 2)
            for block in (256, 1024)
        ]
        run = records.load_run(self.write_run(measured, plots=[plot]))
        for number, row in enumerate(run.rows):
            row["number"] = number
        numbers = []
        (figure,), messages, empty = figures.figures_of(run, numbers)
        self.assertEqual((messages, empty), ([], []))
        series = figure["panels"][0]["series"]
        looks = {s["name"]: s["look"][0] for s in series}
        told = {s["name"]: [(p[0], p[1], p[5]) for p in s["points"]] for s in series if s.get("published")}
        self.assertEqual(
            told,
            {
                "harris2, Old GPU (published)": [(512, 7.0, "7")],
                "harris1, Old GPU (published)": [(256, 5.0, "under 5"), (1024, 6.0, "6"), (None, 4.0, "4")],
            },
        )
        for variant in ("harris1", "harris2"):
            self.assertEqual(looks[f"{variant}, Old GPU (published)"], looks[variant])
        self.assertEqual([s["points"][0][4] for s in series if s.get("published")], [0, 1])
        self.assertEqual([n.get("block") for n in numbers], [512, 256, 1024, None])

    def test_the_sizes_that_a_paper_names_as_best_are_a_band_from_the_least_to_the_greatest(self):
        for best, ends in (((4096, 512, 1024), [512, 4096]), ((1024,), [1024, 1024])):
            path = self.folder / f"{len(best)}.csv"
            lines = [f"fig1,reduce/harris1,Old GPU,,i32,sum,best_n,values,=,{value},page 1" for value in best]
            path.write_text("\n".join([",".join(records.PUBLISHED_REQUIRED), *lines]) + "\n")
            plot = {"name": "p", "x": "n", "y": "time_ns", "published": {"file": str(path)}}
            run = records.load_run(self.write_run([record(), record(n=2048)], plots=[plot], folder=f"of{len(best)}"))
            for number, row in enumerate(run.rows):
                row["number"] = number
            (figure,), _, _ = figures.figures_of(run, [])
            self.assertEqual(figure["panels"][0]["band"], [*ends, "best on Old GPU (published)"])


class Points(RunTest):
    def test_an_interval_has_the_digits_of_its_own_number(self):
        row = record(time_ns=172_032.0, time_low_ns=171_680.0, time_high_ns=172_210.0, ns_per_input=8.0)
        plots = [{"name": y, "x": "n", "y": y} for y in ("time_ns", "ns_per_input")]
        run = records.load_run(self.write_run([row], plots=plots))
        run.rows[0]["number"] = 0
        found, _, _ = figures.figures_of(run, [])
        texts = [figure["panels"][0]["series"][0]["points"][0][6] for figure in found]
        # The interval is 0.53 µs wide: a time's last digit is that of 0.1 µs. All else has four digits, here those of
        # 8 x 171.68 / 172.032 and of 8 x 172.21 / 172.032.
        self.assertEqual(texts, ["171.7 to 172.2", "7.984 to 8.008"])


class Simulated(RunTest):
    def figures(self, cases, machines, printed=()):
        run = records.load_run(self.write_run([record()], folder=f"run{len(list(self.folder.iterdir()))}"))
        path = run.directory / "cachesim" / "predictions.json"
        path.parent.mkdir()
        path.write_text(json.dumps({"machines": machines, "errors": [], "cases": cases}))
        numbers = []
        told = json.loads(path.read_text())
        figures, messages = simulated.figures_of(run, [])
        self.assertEqual(messages, [])
        figures = [
            simulated.figure_of(told, machine, y, list(printed), numbers)
            for machine, y in simulated.predictions.panels_of(told, list(printed))
        ]
        return figures, numbers

    def test_each_model_and_machine_has_its_own_line(self):
        machines = [
            {"name": "host", "published_as": "", "machine": {"title": "A CPU"}},
            {"name": "old", "published_as": "Old CPU", "machine": {"title": "Another"}},
        ]
        case = {"variant": "multireduce/cpu_sequential", "n": 1024, "machine": "host"}
        cases = [
            {**case, "model": model, "m": m, "ns_per_input": ns * m, "measured_ns_per_input": 7.0 * m}
            for m in (64, 1)
            for model, ns in (("serial", 2.0), ("translated", 3.0), ("overlapped", 4.0))
        ]
        cases += [{**cases[0], "variant": "multireduce/cpu_presorted", "ns_per_input": 11.0}]
        cases += [{**cases[0], "machine": "old", "tlb_load_miss_percent": 25.0}]
        printed = [
            {"device": "Old CPU", "variant": case["variant"], "quantity": "time_per_input", "m": 64, "value": 5.0}
            | {"relation": "~", "column": "ns_per_input"},
            {"device": "Old CPU", "variant": case["variant"], "quantity": "tlb_load_miss_rate", "m": 64, "value": 20.0}
            | {"relation": "=", "column": None},
        ]
        figures, numbers = self.figures(cases, machines, printed)
        self.assertEqual([figure["title"] for figure in figures], ["Predicted: A CPU", *["Predicted: Another"] * 2])
        lines = {s["name"]: (s["look"], [p[:2] for p in s["points"]]) for s in figures[0]["panels"][0]["series"]}
        self.assertEqual(
            lines,
            {
                "cpu_presorted, serial": ([1, 1, 1], [[64, 11.0]]),
                "cpu_sequential, serial": ([0, 1, 1], [[1, 2.0], [64, 128.0]]),
                "cpu_sequential, translated": ([0, 2, 2], [[1, 3.0], [64, 192.0]]),
                "cpu_sequential, overlapped": ([0, 3, 3], [[1, 4.0], [64, 256.0]]),
                "cpu_sequential, measured": ([0, 0, 0], [[1, 7.0], [64, 448.0]]),
            },
        )
        time, misses = figures[1]["panels"][0], figures[2]["panels"][0]
        self.assertEqual([(time["unit"], time["log"]), (misses["unit"], misses["log"])], [("ns", True), ("%", False)])
        last = time["series"][-1]
        self.assertEqual(last["name"], "cpu_sequential, Old CPU (published)")
        self.assertEqual(last["look"], [0, 0, 0], "in the colour of the variant that it is of")
        self.assertEqual(last["points"][0][:2], [64, 5.0])
        self.assertEqual(last["points"][0][4:7], [0, "about 5.000", "~"])
        self.assertEqual(misses["series"][-1]["points"][0][4:7], [1, "20.00", "="])
        self.assertEqual([n["value"] for n in numbers], [5.0, 20.0])
        self.assertFalse(any("column" in n for n in numbers), "which is a name of ours")


if __name__ == "__main__":
    unittest.main()
