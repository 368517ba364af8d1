"""JSON files that redbench wrote, or a stranger in its name: checked by a schema before anything uses them."""

from jsonschema import Draft202012Validator

from shared import records
from shared.quick_schema import quick

TEXT, NUMBER, TRUTH = {"type": "string"}, {"type": "number"}, {"type": "boolean"}
ABOVE_0 = {"type": "number", "exclusiveMinimum": 0, "maximum": 1e308}


def object_of(**properties):
    """Others may be there, too."""
    return {"type": "object", "required": list(properties), "properties": properties}


def list_of(items):
    return {"type": "array", "items": items}


def check(value, schema, place, command):
    """RecordError with the place of the first mistake, where the value is not as this command writes it."""
    if quick(schema)(value):
        return
    for error in Draft202012Validator(schema).iter_errors(value):
        where = error.json_path.removeprefix("$").removeprefix(".")
        mistake = f"{where}: {error.message}" if where else error.message
        raise records.RecordError(f"{place}: not as redbench {command} writes it: {mistake}")


def load(path, schema, command):
    value = records.read_json(path)
    check(value, schema, path, command)
    return value
