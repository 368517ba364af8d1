"""What a figure shows, as text for golden files."""

from matplotlib.colors import to_hex


def number(value):
    return f"{round(float(value), 9):.6g}"


def described(figure):
    """What a figure shows, as lines of text."""
    figure.canvas.draw()
    lines = []
    for axes in figure.axes:
        lines.append(f"panel {axes.get_title() or axes.get_title(loc='left')!r}".strip())
        for side, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
            low, high = sorted(axis.get_view_interval())
            ticks = [tick.label1.get_text() for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
            lines.append(f"  {side}: {axis.get_label_text()!r} {axis.get_scale()} {' '.join(ticks)}")
        for line in axes.get_lines():
            if line.get_marker() not in ("|", "_"):  # ends of intervals
                points = " ".join(f"{number(x)}:{number(y)}" for x, y in zip(*line.get_data(), strict=True))
                colour = to_hex(line.get_markeredgecolor() if line.get_linestyle() == "None" else line.get_color())
                lines.append(f"  {line.get_label()!r} {colour} {line.get_marker()} {points}")
        intervals = []
        for collection in axes.collections:
            corners = {tuple(map(number, corner)) for path in collection.get_paths() for corner in path.vertices}
            intervals.append(" ".join(sorted(f"{x}:{y}" for x, y in corners)))
        for bar in axes.patches:
            x, y, width, height = (number(value) for value in bar.get_bbox().bounds)
            lines.append(f"  bar from {x}:{y}, {width} wide, {height} high")
        if intervals:
            lines.append("  intervals " + ", ".join(intervals))
        if axes.texts:
            lines.append("  texts " + " ".join(repr(text.get_text()) for text in axes.texts))
        if axes.get_legend():
            lines.append("  legend " + ", ".join(text.get_text() for text in axes.get_legend().get_texts()))
    return "\n".join([*lines, *(text.get_text() for text in figure.texts), ""])
