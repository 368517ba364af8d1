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

    def test_a_statement_turns_round_where_two_gpus_decide_it_oppositely(self):
        def claim(*verdicts, modelled=False):
            tests = [{"name": n, "verdict": v, "decides": True} for n, v in zip("ab", verdicts, strict=False)]
            part = {"what": "x / y", "value": 2, "low": None, "high": None, "bound": "> 1", "decides": True}
            parts = [part | {"test": test["name"], "verdict": test["verdict"]} for test in tests]
            return {"id": "id", "verdict": "", "modelled": modelled, "tests": tests, "parts": parts}

        def of(gpu, *claims):
            return {"gpu": gpu, "claims": claims}

        first = of("A", claim("holds", "does not hold"), claim("holds"), claim("holds", modelled=True))
        self.assertEqual(findings.gpus_table(first), "None yet: one GPU has decided them.\n")
        first["others"] = [
            of("B", claim("does not hold", "undecided"), claim("holds"), claim("does not hold", modelled=True))
        ]
        lines = findings.gpus_table(first).splitlines()
        self.assertEqual(lines[0], "Of 2 statements that more than one GPU decides, 1 turns round.", "no open one")
        self.assertEqual(lines[2], "| statement | A | B |")
        row = "| id: a | holds: 2, asked > 1; x / y | does not hold: 2, asked > 1; x / y |"
        self.assertEqual(lines[4:], [row])

    def test_each_claim_has_a_sentence_to_say_aloud(self):
        papers = [json.loads(path.read_text()) for path in (REPOSITORY / "configs" / "claims").glob("*[!a].json")]
        asked = [claim["id"] for paper in papers for claim in paper["claims"]]
        told = re.findall(r"^- `([a-z0-9-]+)`: \w", findings.PAGE.read_text().split("## To say aloud")[1], re.MULTILINE)
        self.assertCountEqual(told, asked)

