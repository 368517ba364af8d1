"""The report: records of runs, or a comparison of two, as one HTML file that asks nothing of any network."""
