"""The map of a problem as SVG: a row for each input, a cell for each size, with the number and colour of the variant
that is fastest there."""

from html import escape

from shared.records import format_size
from shared.style import COLOURS
from shared.which import ranges

WIDTH, LEFT, ROW, TOP, LEGEND_COLUMNS = 800, 300, 22, 26, 3
GREY = "#e4e4e0"
INK, LIGHT = "#1c1e21", (GREY, "#E69F00", "#56B4E9", "#CC79A7")  # on which the ink is dark
FONT = 'font-family="system-ui, sans-serif" font-size="11"'


def draw(problem):
    """A panel for the inputs whose m is swept, one for those whose n is, and the legend of both."""
    numbers, parts, y = {}, [], 0
    rows = [(each, value, points) for each in problem.inputs for value, points in each.sweeps.items()]
    for size in ("m", "n"):
        of_size = [row for row in rows if row[0].swept == size]
        if of_size:
            parts += panel(size, of_size, numbers, y)
            y += TOP + ROW * len(of_size) + 14
    waits = any(one.waits for _, _, points in rows for one in ranges(points))
    keys = [(colour(number), str(number), name) for name, number in numbers.items()]
    keys += [(GREY, "?", "waits to be measured again")] * waits
    for place, (fill, mark, name) in enumerate(keys):
        left, top = place % LEGEND_COLUMNS * WIDTH / LEGEND_COLUMNS, y + place // LEGEND_COLUMNS * 20
        parts += [cell(left, top, 24, 16, fill, mark), text(left + 30, top + 12, name)]
    height = y + -(-len(keys) // LEGEND_COLUMNS) * 20 + 4
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {FONT}>'
    ground = f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{escape(problem.name)}: fastest variants</title>", ground, *parts, "</svg>", ""])


def panel(size, rows, numbers, y):
    values = sorted({getattr(point, size) for _, _, points in rows for point in points})
    width = (WIDTH - LEFT) / len(values)
    step = -(-34 // int(width))  # a label needs 34 units
    parts = [text(LEFT - 8, y + 16, size, "end")]
    parts += [
        text(LEFT + (place + 0.5) * width, y + 16, format_size(value), "middle")
        for place, value in enumerate(values)
        if place % step == 0
    ]
    for row, (each, value, points) in enumerate(rows):
        top = y + TOP + row * ROW
        fixed = "" if value is None else f", {'n' if size == 'm' else 'm'} {format_size(value)}"
        parts.append(text(LEFT - 8, top + 14, each.text + fixed, "end"))
        for one in ranges(points):
            number = None if one.waits else numbers.setdefault(one.names[0], len(numbers) + 1)
            for point in one.points:
                left = LEFT + values.index(getattr(point, size)) * width
                parts.append(cell(left, top, width - 1, ROW - 2, colour(number), number or "?"))
    return parts


def colour(number):
    return GREY if number is None else COLOURS[(number - 1) % len(COLOURS)]


def cell(x, y, width, height, fill, mark):
    ink = INK if fill in LIGHT else "#ffffff"
    rect = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'
    return rect + text(x + width / 2, y + height / 2 + 4, mark, "middle", ink)


def text(x, y, content, anchor="start", fill=INK):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{escape(str(content))}</text>'
