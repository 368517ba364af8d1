"""scripts/get_samples.py: the samples that it writes, and that the licence of each is told."""

import re

import numpy

from support import RunTest, output_of
import get_samples


class Samples(RunTest):
    def test_shapes_types_and_ranges(self):
        samples = self.folder / "samples"
        self.assertEqual(output_of(get_samples.main, "--out", samples)[0], 0)
        found = {path.stem: numpy.load(path) for path in samples.glob("*.npy")}
        images = {path.stem: path.read_bytes() for path in samples.glob("*.pgm")}
        licences = (samples / "LICENCES.md").read_text(encoding="utf-8")
        licensed = ", ".join(re.findall(r"^\| ([a-z].*?) \|", licences, re.MULTILINE)[1:]).split(", ")
        self.assertEqual(sorted(licensed), sorted(found.keys() | images.keys()))
        types = {"elevation": "int32", "elevation_f32": "float32", "photograph": "uint32", "photograph_u8": "uint8"}
        self.assertEqual({name: str(array.dtype) for name, array in found.items()}, types)
        sizes = {"elevation": 344 * 403, "photograph": 600 * 512}
        for name, array in found.items():
            self.assertEqual(array.shape, (sizes[name.split("_")[0]],))
        elevation = found["elevation"].astype("int64")
        self.assertEqual((elevation.min(), elevation.max(), elevation.sum()), (236, 1076, 73617913))
        self.assertTrue((found["elevation_f32"] == elevation).all())
        self.assertEqual((found["photograph"].min(), found["photograph"].max()), (0, 255))
        self.assertTrue((found["photograph"] == found["photograph_u8"]).all())
        self.assertEqual(images.keys(), {"photograph", "astronaut", "camera", "coffee", "moon", "retina"})
        self.assertTrue(images["retina"].startswith(b"P5\n1411 1411\n255\n"))
        self.assertTrue(images["photograph"].endswith(found["photograph_u8"].tobytes()))
