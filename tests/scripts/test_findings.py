"""What goes into the tables of docs/findings.md and README.md. That the pages have those of the
records, with the deciding parts of the claims and their digits, is tested in test_committed_results.py; what goes into
docs/which.md in test_which.py."""

import json
import re
import unittest

import support  # noqa: F401  it puts scripts/ on the path
import findings
from shared.records import REPOSITORY


class Tables(unittest.TestCase):
    def test_a_number_stands_before_its_verdict_and_a_models_answers_are_counted_apart(self):
        def claim(verdict, modelled=False):
            by_name = (("a", "holds"), ("b", "does not hold"))
            tests = [{"name": name, "decides": True, "verdict": of_test} for name, of_test in by_name]
            part = {"test": "b", "what": "x / y", "value": 0.5, "low": None, "high": None, "bound": "> 1"}
            part |= {"decides": True, "verdict": "holds" if verdict == "holds" else "does not hold", "why": ""}
            return {"id": "id", "verdict": verdict, "modelled": modelled, "tests": tests, "parts": [part]}

        lines = findings.verdict_table([claim("holds in part"), claim("holds", modelled=True)]).splitlines()
        counts = "0 hold, 1 hold in part, 0 do not hold, 0 are undecided, 0 not measured"
        self.assertEqual(lines[0], counts + "; by a model's counts 1 hold.")
        self.assertEqual(lines[4], "| id | 0.5 | > 1 | b: x / y; holds: a | 0 of 1 | holds in part |")

    def test_a_statement_turns_round_where_two_gpus_decide_it_differently(self):
        def claim(verdict):
            part = {"what": "x / y", "value": 2, "low": None, "high": None, "bound": "> 1"}
            part |= {"decides": True, "verdict": verdict}
            return {"id": "id", "verdict": verdict, "modelled": False, "parts": [part]}

        def of(gpu, *verdicts):
            return {"gpu": gpu, "claims": list(map(claim, verdicts))}

        first = of("A", "holds", "holds", "holds")
        self.assertEqual(findings.gpus_table(first), "None yet: one GPU has decided them.\n")
        first["others"] = [of("B", "does not hold", "not measured", "holds")]
        lines = findings.gpus_table(first).splitlines()
        self.assertEqual(lines[0], "1 of 2 that more than one GPU decides.")
        self.assertEqual(lines[2], "| claim | A | B |")
        row = "| id | holds: 2, asked > 1; x / y | does not hold: 2, asked > 1; x / y |"
        self.assertEqual(lines[4:], [row])

    def test_each_claim_has_a_sentence_to_say_aloud(self):
        papers = [json.loads(path.read_text()) for path in (REPOSITORY / "configs" / "claims").glob("*[!a].json")]
        asked = [claim["id"] for paper in papers for claim in paper["claims"]]
        told = re.findall(r"^- `([a-z0-9-]+)`: \w", findings.PAGE.read_text().split("## To say aloud")[1], re.MULTILINE)
        self.assertCountEqual(told, asked)

