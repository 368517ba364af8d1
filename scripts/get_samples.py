#!/usr/bin/env python3
"""Writes real inputs, samples/*.npy and *.pgm, from the sample data that matplotlib and scikit-image ship: nothing is
downloaded. A config finds them from the folder in which samples/ lies.

elevation       i32[344 * 403]  the Jacksboro fault's elevations in metres, row by row
elevation_f32   f32[344 * 403]  the same as floats
photograph      u32[600 * 512]  luminance 0 to 255 of the portrait of Grace Hopper, row by row
photograph_u8   u8[600 * 512]   the same as bytes

Images as labels of histograms, 8-bit PGM, luminance of colours:

photograph      512 x 600   the portrait again
astronaut       512 x 512   a portrait before a bright background
camera          512 x 512   a man and a camera before a bright sky
coffee          600 x 400   a cup, nearly black around it
moon            512 x 512   a surface of few greys
retina         1411 x 1411  black corners

LICENCES.md beside them says where each is from, and what may be done with it.
"""

import argparse
import importlib.util
import io
import os
from pathlib import Path
import sys

os.environ["MPLBACKEND"] = "Agg"  # before Matplotlib is imported
import matplotlib.cbook
import numpy
from PIL import Image

from shared import output, records
from shared.visible import complain

# What matplotlib 3.10.6 and scikit-image 0.26.0 say of their files: in the files and in skimage/data/_fetchers.py.
LICENCES = """\
# Licences of these samples
get_samples.py made them from files of matplotlib 3.10.6 and scikit-image 0.26.0: of colours the luminance, all else as it was.

| sample | made from | licence |
| --- | --- | --- |
| elevation, elevation_f32 | matplotlib's jacksboro_fault_dem.npz | none of its own: as matplotlib, [after that of Python](https://matplotlib.org/stable/project/license.html) |
| photograph, photograph_u8 | matplotlib's grace_hopper.jpg, [from Wikimedia Commons](https://commons.wikimedia.org/wiki/File:Grace_Hopper.jpg) | [public domain](https://github.com/matplotlib/matplotlib/pull/1599) |
| astronaut | scikit-image's astronaut.png: Eileen Collins, [NASA](https://flic.kr/p/r9qvLn) | public domain, no known copyright restrictions |
| camera | scikit-image's camera.png, photographed by Lav Varshney | CC0 |
| coffee | scikit-image's coffee.png, photographed by Rachel Michetti, courtesy of Pikolo Espresso Bar | CC0 |
| moon | scikit-image's moon.png | none of its own: as scikit-image, BSD-3-Clause |
| retina | scikit-image's retina.jpg by Mikael Häggström, [from Wikimedia Commons](https://commons.wikimedia.org/wiki/File:Fundus_photograph_of_normal_left_eye.jpg), doi:10.15347/wjm/2014.008 | CC0 1.0 |
"""  # noqa: E501


def elevation():
    with matplotlib.cbook.get_sample_data("jacksboro_fault_dem.npz") as data:
        return data["elevation"].ravel()


def luminance(pixels):
    """Luminance of RGB pixels, weights of ITU-R BT.601. In whole numbers: every machine gets the same."""
    return (pixels.astype(numpy.int64) @ numpy.array([299, 587, 114]) + 500) // 1000


def grey(file):
    """Luminance of an image, row by row; one that is grey already is left as it is."""
    image = Image.open(file)
    return numpy.asarray(image) if image.mode == "L" else luminance(numpy.asarray(image.convert("RGB")))


def photograph():
    with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
        return grey(file)


def images():
    """Names and pixels. Of scikit-image the folder is enough: what it imports need not be installed."""
    yield "photograph", photograph()
    found = importlib.util.find_spec("skimage")
    if not found:
        print("get_samples: scikit-image is not installed: its images are left out", file=sys.stderr)
        return
    for name in ("astronaut.png", "camera.png", "coffee.png", "moon.png", "retina.jpg"):
        path = Path(found.submodule_search_locations[0]) / "data" / name
        yield path.stem, grey(path)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", metavar="FOLDER", type=Path, default="samples", help="where to (samples)")
    try:
        write_samples(parser.parse_args(arguments).out)
    except records.RecordError as error:
        complain("get_samples", error)
        return 2
    except OSError as error:
        print(f"get_samples: {error.filename}: {error.strerror}; --out FOLDER names another", file=sys.stderr)
        return 2
    return 0


def write_samples(folder):
    folder.mkdir(parents=True, exist_ok=True)
    output.write(folder / "LICENCES.md", LICENCES)
    for name, values, kind in (
        ("elevation", elevation(), "<i4"),
        ("elevation_f32", elevation(), "<f4"),
        ("photograph", photograph().ravel(), "<u4"),
        ("photograph_u8", photograph().ravel(), "|u1"),
    ):
        path = folder / f"{name}.npy"
        file = io.BytesIO()
        numpy.save(file, values.astype(kind))
        output.write(path, file.getvalue())
        print(f"{path}: {len(values)} x {kind}, {values.min()} to {values.max()}")
    for name, pixels in images():
        path = folder / f"{name}.pgm"
        file = io.BytesIO()
        Image.fromarray(pixels.astype("uint8")).save(file, format="PPM")
        output.write(path, file.getvalue())
        height, width = pixels.shape
        print(f"{path}: {width} x {height}, {pixels.min()} to {pixels.max()}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
