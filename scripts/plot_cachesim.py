import sys

from shared import json_figures, predictions


def main(arguments):
    def draw_file(path):
        predicted = predictions.load(path)
        return predictions.draw(predicted, predictions.printed_for(predicted["name"]))

    return json_figures.main(
        arguments, "plot_cachesim", __doc__, "DIR/predictions.json", "as redbench cachesim wrote it", draw_file
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
