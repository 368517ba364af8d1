"""The JSON schemas that redbench prints, by a validator of other people: what they accept, and what they refuse."""

import copy
import json
import unittest

import jsonschema

from support import REPOSITORY, redbench

FILES = [path for path in (REPOSITORY / "configs").rglob("*.json") if path.name != "schema.json"]
CLAIMS = [path for path in FILES if "claims" in path.parts]
CONFIGS = [path for path in FILES if not {"devices", "claims"} & set(path.parts)]
CONFIG = {
    "title": "t",
    "experiments": [
        {"problem": "reduce", "variants": ["harris3"], "axes": {"n": ["2^20", "[1Ki:4Ki:*2]", 7], "block": 64}}
    ],
    "measure": {"mode": "cold,warm", "max_noise": 1},
    "plots": [{"name": "a", "x": "n", "y": ["time_ns"], "where": {"n": "16Mi", "type": ["i32", "f32"]}}],
    "on_simt": {"measure": {"max_noise": None}, "plots": None},
}
TEST = {"kind": "value", "configs": ["slides/table"], "of": {"variant": "harris5", "pick": "fastest"}}
CLAIM = {"title": "t", "claims": [{"id": "a", "source": "s", "sentence": "w", "tests": [TEST]}]}
# Of each schema: what it accepts, the place of a mistake, and the mistake.
WRONG_CONFIGS = (
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
)
IN_TEST = ["claims", 0, "tests", 0]
WRONG_CLAIMS = tuple(
    ([*IN_TEST, key], value)
    for key, value in (("kind", "valeu"), ("configs", []), ("of", {"pick": "best"}), ("abov", 1), ("above", "1"))
)


class Schema(unittest.TestCase):
    def test_every_file_is_valid_and_a_mistake_is_none(self):
        for options, files, good, wrong in (((), CONFIGS, CONFIG, WRONG_CONFIGS),
                                            (("--claims",), CLAIMS, CLAIM, WRONG_CLAIMS)):
            validator = jsonschema.Draft7Validator(json.loads(redbench("schema", *options)))
            validator.check_schema(validator.schema)
            self.assertGreaterEqual(len(files), 5)
            for path in files:
                with self.subTest(path=path.name):
                    validator.validate(json.loads(path.read_text()))
            validator.validate(good)
            for (*keys, last), value in wrong:
                with self.subTest(key=last):
                    document = part = copy.deepcopy(good)
                    for key in keys:
                        part = part[key]
                    part[last] = value
                    self.assertFalse(validator.is_valid(document))
