"""What the commands of scripts/ share: runs and their rows, published numbers, how figures are drawn."""

import os

os.environ["MPLBACKEND"] = "Agg"  # before Matplotlib is imported: Jupyter names a backend that others do not have
