"""Records as Parquet: back without loss, and the queries of docs/cluster.md."""

from contextlib import chdir, redirect_stdout
import importlib.util
import io
import json
import re
import shutil
import sys
import unittest

from support import REPOSITORY, RunTest, call, counted, output_of, record
import records_to_parquet

HAS = {name: importlib.util.find_spec(name) for name in ("pyarrow", "duckdb", "pandas")}


def compact(of):
    return json.dumps(of, ensure_ascii=False, separators=(",", ":"))


@unittest.skipUnless(HAS["pyarrow"], "this Python has no pyarrow")
class RecordsToParquet(RunTest):
    def back(self, text):
        """The lines that come back, and in which rows the columns alone do not give them."""
        from pyarrow import parquet

        folder = self.folder / "run"
        folder.mkdir()
        (folder / "records.jsonl").write_bytes(text)
        code, _, errors = output_of(records_to_parquet.main, folder)
        self.assertEqual((code, errors), (0, ""))
        path, lines = folder / "records.parquet", folder / "back.jsonl"
        self.assertEqual(output_of(records_to_parquet.main, "--back", path, "-o", lines)[0], 0)
        kept = parquet.read_table(path)["line"].to_pylist()
        return lines.read_bytes(), [number for number, line in enumerate(kept) if line is not None]

    def test_real_records_come_back_from_their_columns_alone(self):
        text = (REPOSITORY / "results/h200/quick/records.jsonl").read_bytes()
        back, kept = self.back(text)
        self.assertEqual(back, text)
        self.assertLessEqual(len(kept), 1, "redbench may write a digit more than the shortest text of a number has")

    def test_no_line_is_lost_whatever_it_is(self):
        whole = record(samples_ns=[[1.0, 2.5e-7], [1e22]], axes={"values": {"file": "ä.npy"}})
        lines = [
            compact(whole),
            compact(counted("reduce/harris1", warp_barriers=7)),  # other keys
            json.dumps(whole),  # spaces
            compact(whole | {"n": 1 << 70, "time_ns": 3, "samples_ns": [1.0], "hardware": "\ud800"}),
            '{"n":1,"n":2,"time_ns":NaN}',
            "[]",
            "",
            "{broken",
        ]
        text = "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass") + b"\xff\r\n"
        self.assertEqual(self.back(text + b'{"n":')[0], text, "all but the line that a killed run left unfinished")

    def test_a_last_record_without_its_end_is_kept(self):
        line = compact(record()).encode()
        self.assertEqual(self.back(line)[0], line + b"\n")

    def test_another_parquet_file_is_refused(self):
        import pyarrow
        from pyarrow import parquet

        path = self.folder / "other.parquet"
        parquet.write_table(pyarrow.table({"n": [1]}), path)
        code, _, errors = output_of(records_to_parquet.main, "--back", path)
        self.assertEqual(code, 2)
        self.assertIn("not written by records_to_parquet", errors)

    @unittest.skipUnless(HAS["duckdb"] and HAS["pandas"], "this Python has no duckdb and pandas")
    def test_the_queries_of_the_documentation_work(self):
        shutil.copytree(REPOSITORY / "results/h200/quick", self.folder / "results/h200/quick")
        self.assertEqual(output_of(records_to_parquet.main, self.folder / "results")[0], 0)
        queries = re.findall(r"^```python\n(.*?)^```$", (REPOSITORY / "docs/cluster.md").read_text(), re.M | re.S)
        self.assertEqual(len(queries), 2)
        for query in queries:
            with self.subTest(query), chdir(self.folder), redirect_stdout(io.StringIO()):
                exec(query, {})


class WithoutPyarrow(RunTest):
    def test_says_how_to_get_it(self):
        (self.folder / "pyarrow.py").write_text("raise ImportError")
        done = call(
            "env", f"PYTHONPATH={self.folder}", sys.executable, REPOSITORY / "scripts/records_to_parquet.py", "."
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("-m pip install pyarrow", done.stderr)
