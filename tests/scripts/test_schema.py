"""The JSON schema that redbench prints, held against the configs by a validator of its own."""

import copy
import json
import subprocess
import unittest

import jsonschema

from support import REPOSITORY

CONFIGS = sorted(
    path
    for path in (REPOSITORY / "configs").rglob("*.json")
    if path.name != "schema.json" and not {"devices", "claims"} & set(path.parts)
)
GOOD = {
    "title": "t",
    "experiments": [
        {"problem": "reduce", "variants": ["harris3"], "axes": {"n": ["2^20", "[1Ki:4Ki:*2]", 7], "block": 64}}
    ],
    "measure": {"mode": "cold,warm", "max_noise": 1},
    "plots": [{"name": "a", "x": "n", "y": ["time_ns"], "where": {"n": "16Mi", "type": ["i32", "f32"]}}],
    "on_simt": {"measure": {"max_noise": None}, "plots": None},
}


CLAIMS = sorted(path for path in (REPOSITORY / "configs" / "claims").glob("*.json") if path.name != "schema.json")


def printed(*options):
    command = [REPOSITORY / "build" / "redbench", "schema", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


class Schema(unittest.TestCase):
    def test_every_file_is_valid(self):
        for files, options in ((CONFIGS, ()), (CLAIMS, ("--claims",))):
            validator = jsonschema.Draft7Validator(printed(*options))
            validator.check_schema(validator.schema)
            self.assertGreaterEqual(len(files), 5)
            for path in files:
                with self.subTest(path=path.name):
                    validator.validate(json.loads(path.read_text()))

    def test_what_that_of_claims_refuses(self):
        validator = jsonschema.Draft7Validator(printed("--claims"))
        test = {"kind": "value", "configs": ["slides/table"], "of": {"variant": "harris5", "pick": "fastest"}}
        wrong = ({"kind": "valeu"}, {"configs": []}, {"of": {"pick": "best"}}, {"abov": 1}, {"above": "1"})
        for more in ({}, *wrong):
            with self.subTest(more=more):
                claim = {"id": "a", "source": "s", "sentence": "w", "tests": [{**test, **more}]}
                self.assertEqual(validator.is_valid({"title": "t", "claims": [claim]}), not more)

    def test_what_that_of_configs_refuses(self):
        validator = jsonschema.Draft7Validator(printed())
        validator.validate(GOOD)
        for place, value in (
            (["experiments"], []),
            (["experiments", 0, "problem"], 3),
            (["experiments", 0, "axes", "n"], "16M"),
            (["experiments", 0, "axes", "type"], "i33"),
            (["experiments", 0, "axes", "operator"], ["sum", "summ"]),
            (["experiments", 0, "axes", "values"], "unifrom"),
            (["measure", "min_samples"], 0),
            (["measure", "max_nois"], 1),
            (["plots", 0, "name"], "../a"),
            (["plots", 0, "y"], "speed"),
            (["on_simt", "on_host"], {}),
        ):
            with self.subTest(place=place):
                document = copy.deepcopy(GOOD)
                part = document
                for key in place[:-1]:
                    part = part[key]
                part[place[-1]] = value
                self.assertFalse(validator.is_valid(document))


if __name__ == "__main__":
    unittest.main()
