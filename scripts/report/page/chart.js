// One panel of a figure: an SVG drawn from its data, at the width that it has. A panel of lines has numbers along x; one
// of names has a row for each. A point is [x, y, low, high, record, text, interval, shares of its launches].

const MARKS = ['circle', 'square', 'up', 'diamond', 'down', 'cross', 'left', 'right'];
const DASHES = ['', '7 4', '2 3', '8 3 2 3'];
const PUBLISHED_MARKS = { '=': 'star', '~': 'star', '<': 'down', '<=': 'down', '>': 'up', '>=': 'up' };
const X = 0, Y = 1, LOW = 2, HIGH = 3, RECORD = 4, TEXT = 5, INTERVAL = 6, SHARES = 7;
const FONT_SIZE = 12;
const LINE = 16;
const MOST_VALUES = 24;

const measure = (() => {
  const context = document.createElement('canvas').getContext('2d');
  return (text) => {
    context.font = `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
    return context.measureText(text).width;
  };
})();

// The path of a mark around (x, y), of about radius r.
function markPath(kind, x, y, r) {
  const polygon = (...points) => `M${points.map(([a, b]) => `${(x + a * r).toFixed(1)} ${(y + b * r).toFixed(1)}`).join('L')}Z`;
  switch (kind) {
    case 'square': return polygon([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]);
    case 'up': return polygon([0, -1.2], [1.1, 0.8], [-1.1, 0.8]);
    case 'down': return polygon([0, 1.2], [1.1, -0.8], [-1.1, -0.8]);
    case 'left': return polygon([-1.2, 0], [0.8, 1.1], [0.8, -1.1]);
    case 'right': return polygon([1.2, 0], [-0.8, 1.1], [-0.8, -1.1]);
    case 'diamond': return polygon([0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]);
    case 'cross': {
      const a = 0.42, b = 1.15;
      return polygon([-a, -b], [a, -b], [a, -a], [b, -a], [b, a], [a, a], [a, b], [-a, b], [-a, a], [-b, a], [-b, -a], [-a, -a]);
    }
    case 'star': {
      const points = [];
      for (let i = 0; i < 10; i += 1) {
        const length = i % 2 ? 0.62 : 1.5;
        points.push([length * Math.sin((Math.PI * i) / 5), -length * Math.cos((Math.PI * i) / 5)]);
      }
      return polygon(...points);
    }
    default: return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
}

function markOf(series, point) {
  return series.published ? PUBLISHED_MARKS[point[INTERVAL]] || 'star' : MARKS[series.look[2] % MARKS.length];
}

function markNode(series, point, x, y, r) {
  return drawn('path', { d: markPath(markOf(series, point), x, y, r), class: series.published ? 'mark hollow' : 'mark' });
}

class Chart {
  constructor(figure, panel, host, options) {
    Object.assign(this, { figure, panel, host, options });
    this.svg = drawn('svg', { class: 'plot', tabindex: '0', role: 'application', 'aria-roledescription': 'figure' });
    this.svg.setAttribute('aria-label', `${figure.title}: ${panel.heading}. Arrow keys go from point to point, Enter opens the record.`);
    host.append(this.svg);
    followPointer(this);
  }

  get visible() {
    return this.panel.series.filter((series) => !this.options.hidden.has(series.name));
  }

  // All numbers along the axis of the quantity.
  get values() {
    const values = [];
    for (const series of this.visible) {
      for (const point of series.points) {
        for (const place of [Y, LOW, HIGH]) {
          if (typeof point[place] === 'number' && (!this.logy || point[place] > 0)) values.push(point[place]);
        }
      }
    }
    return values;
  }

  get logy() {
    return this.options.logy && !this.panel.bars && this.canBeLog;
  }

  get canBeLog() {
    return this.panel.series.every((series) => series.points.every((point) => point[Y] > 0));
  }

  draw() {
    this.spots = [];
    this.width = Math.max(200, this.host.clientWidth);
    const layers = this.figure.kind === 'lines' ? this.drawLines() : this.drawNames();
    this.svg.setAttribute('width', this.width);
    this.svg.setAttribute('height', this.height);
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
    this.focus = drawn('circle', { class: 'focus-ring', r: 9, visibility: 'hidden' });
    this.svg.replaceChildren(...layers.filter(Boolean), this.focus);
  }

  spot(series, point, x, y) {
    this.spots.push({ series, point, x, y });
  }

  drawLines() {
    this.height = Math.round(Math.min(400, Math.max(270, this.width * 0.5)));
    const values = this.values;
    const probe = valueScale(values.length ? values : [1], [0, 1], this.logy, 1.04);
    const ticks = ticksOf(probe, 6);
    const left = Math.ceil(Math.max(...ticks.map((tick) => measure(tickText(tick))))) + 10;
    const frame = { left, right: this.width - 14, top: 30, bottom: this.height - 46 };
    const y = new Scale([probe.low, probe.high], [frame.bottom, frame.top], probe.log);
    const xs = this.measuredX();
    const x = this.xScale(xs, frame);
    return [this.valueGrid(y, ticks, frame), this.xAxis(x, xs, frame), this.band(x, frame), ...this.lineSeries(x, y, frame)];
  }

  measuredX() {
    const own = this.panel.series.filter((series) => !series.published);
    const xs = own.flatMap((series) => series.points.map((point) => point[X]));
    return [...new Set(xs.filter((x) => x !== null))].sort((a, b) => a - b);
  }

  xScale(xs, frame) {
    const printed = this.visible.filter((s) => s.published).flatMap((s) => s.points.map((p) => p[X])).filter((x) => x !== null);
    const all = [...xs, ...printed];
    let ends = all.length ? [Math.min(...all), Math.max(...all)] : [0, 1];
    if (ends[0] === ends[1]) ends = [ends[0] / 2, ends[1] * 2 || 1];
    return new Scale(ends, [frame.left + 12, frame.right - 12], this.options.logx && ends[0] > 0);
  }

  valueGrid(y, ticks, frame) {
    const group = drawn('g', { class: 'grid' });
    for (const tick of ticks) {
      const at = y.at(tick);
      group.append(
        drawn('line', { x1: frame.left, x2: frame.right, y1: at, y2: at, class: tick === 0 ? 'zero' : null }),
        drawn('text', { x: frame.left - 7, y: at + 4, 'text-anchor': 'end' }, tickText(tick)),
      );
    }
    group.append(drawn('text', { x: 0, y: 13, class: 'heading' }, this.panel.heading + (y.log ? ', logarithmic' : '')));
    return group;
  }

  xAxis(x, xs, frame) {
    const name = (value) => (this.figure.x.sizes ? sizeText(value) : spaced(value));
    const group = drawn('g', { class: 'axis' });
    group.append(drawn('line', { x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom }));
    for (const value of xs) {
      group.append(drawn('line', { x1: x.at(value), x2: x.at(value), y1: frame.bottom, y2: frame.bottom + 3 }));
    }
    for (const value of measuredTicks(x, xs, (each) => measure(name(each)))) {
      const at = x.at(value);
      group.append(drawn('line', { x1: at, x2: at, y1: frame.bottom, y2: frame.bottom + 6 }));
      const half = measure(name(value)) / 2;
      const middle = Math.min(Math.max(at, half), this.width - half);
      group.append(drawn('text', { x: middle, y: frame.bottom + 20, 'text-anchor': 'middle' }, name(value)));
    }
    const heading = this.figure.x.heading + (x.log ? ', logarithmic' : '');
    group.append(drawn('text', { x: frame.right, y: frame.bottom + 39, 'text-anchor': 'end', class: 'heading' }, heading));
    return group;
  }

  band(x, frame) {
    if (!this.panel.band) return null;
    const [low, high, text] = this.panel.band;
    const from = x.at(low), to = x.at(high);
    const anchor = (from + to) / 2 > (frame.left + frame.right) / 2 ? 'end' : 'start';
    return drawn('g', { class: 'band' },
      drawn('rect', { x: from, y: frame.top, width: Math.max(2, to - from), height: frame.bottom - frame.top }),
      drawn('text', { x: anchor === 'end' ? to : from, y: frame.bottom - 6, 'text-anchor': anchor }, text));
  }

  lineSeries(x, y, frame) {
    return this.visible.map((series) => {
      const group = drawn('g', { class: `series c${series.look[0]}` });
      const points = series.points.filter((point) => !y.log || point[Y] > 0);
      const across = points.filter((point) => point[X] === null);
      const placed = points.filter((point) => point[X] !== null && (!x.log || point[X] > 0));
      for (const point of across) {
        const at = y.at(point[Y]);
        const look = series.published ? { class: 'across' } : { class: 'line', 'stroke-dasharray': DASHES[series.look[1]] || null };
        group.append(drawn('line', { x1: frame.left, x2: frame.right, y1: at, y2: at, ...look }));
        this.spot(series, point, (frame.left + frame.right) / 2, at);
      }
      if (!series.published) group.append(...this.lineAndInterval(series, placed, x, y));
      const radius = series.published ? 4.4 : placed.length > 40 ? 2.6 : 3.6;
      for (const point of placed) {
        group.append(markNode(series, point, x.at(point[X]), y.at(point[Y]), radius));
        this.spot(series, point, x.at(point[X]), y.at(point[Y]));
      }
      return group;
    });
  }

  lineAndInterval(series, points, x, y) {
    const known = points.filter((point) => typeof point[LOW] === 'number');
    const path = (list, of) => list.map((point) => `${x.at(point[X]).toFixed(1)} ${y.at(of(point)).toFixed(1)}`).join('L');
    const area = known.length < 2 ? null : drawn('path', {
      class: 'interval',
      d: `M${path(known, (point) => point[LOW])}L${path([...known].reverse(), (point) => point[HIGH])}Z`,
    });
    const line = points.length < 2 ? null : drawn('path', {
      class: 'line', 'stroke-dasharray': DASHES[series.look[1]] || null, d: `M${path(points, (point) => point[Y])}`,
    });
    return [area, line].filter(Boolean);
  }

  // A row for each name; where there is little room its name stands above it.
  drawNames() {
    const names = this.figure.categories;
    const bars = this.panel.bars;
    const longest = Math.max(...names.map(measure));
    const above = this.width < 520 && longest > this.width * 0.3;
    const left = above ? 4 : Math.ceil(Math.min(longest, this.width * 0.45)) + 14;
    const count = Math.max(1, this.visible.filter((series) => !series.published).length);
    const ratio = this.panel.ratio;
    const thick = (ratio ? (ratio.narrow ? 17 : 24) : Math.max(26, (bars ? 15 : 11) * count + 8)) + (above ? LINE : 0);
    const far = thick * names.length > 680; // from the axis below: it stands above, too
    const top = far ? 42 : 24;
    const frame = { left, right: this.width - 24, top, bottom: top + thick * names.length, far };
    this.height = frame.bottom + 26;
    const values = this.values;
    const pixels = [frame.left + 6, frame.right];
    const x = ratio ? new Scale(ratio.ends, pixels, this.logy) : valueScale(values.length ? values : [1], pixels, this.logy, bars ? 1.25 : 1.1);
    this.nameScale = x;
    const rows = names.map((name, row) => {
      const from = frame.top + row * thick;
      const middle = from + (thick + (above ? LINE : 0)) / 2;
      const at = above ? { x: frame.left, y: from + 13 } : { x: left - 10, y: middle + 4, 'text-anchor': 'end' };
      return drawn('g', { class: 'row' },
        drawn('line', { x1: frame.left, x2: frame.right, y1: from, y2: from }),
        drawn('text', at, this.shortened(name, above ? this.width - 8 : left - 12)));
    });
    const middleOf = (row) => frame.top + row * thick + (thick + (above ? LINE : 0)) / 2;
    const series = this.nameSeries(x, middleOf, count, frame);
    if (ratio) this.spots.sort((a, b) => a.y - b.y);
    return [this.nameAxis(x, frame), this.sameBand(x, frame), ...rows, ...series, bars ? null : this.dotValues(frame)].filter(Boolean);
  }

  // The number of each dot beside it, where there are few, and none is in its way.
  dotValues(frame) {
    if (this.spots.length > MOST_VALUES || this.panel.ratio) return null;
    const group = drawn('g', {});
    for (const spot of this.spots) {
      const text = spot.point[TEXT];
      const high = typeof spot.point[HIGH] === 'number' ? this.nameScale.at(spot.point[HIGH]) : spot.x;
      const from = Math.max(spot.x, high) + 9, to = from + measure(text);
      const free = this.spots.every((other) => other === spot || Math.abs(other.y - spot.y) > 9 || other.x < spot.x || other.x > to + 8);
      if (free && to < this.width) group.append(drawn('text', { x: from, y: spot.y + 4, class: 'value' }, text));
    }
    return group;
  }

  // Of ratios: where times are the same.
  sameBand(x, frame) {
    if (!this.panel.ratio) return null;
    const [from, to] = this.panel.ratio.band.map((end) => x.at(end));
    return drawn('g', { class: 'band' },
      drawn('rect', { x: from, y: frame.top, width: to - from, height: frame.bottom - frame.top }),
      drawn('line', { x1: x.at(1), x2: x.at(1), y1: frame.top, y2: frame.bottom }));
  }

  shortened(name, room) {
    if (measure(name) <= room) return name;
    let length = name.length;
    while (length > 4 && measure(`${name.slice(0, length)}…`) > room) length -= 1;
    return `${name.slice(0, length)}…`;
  }

  nameAxis(x, frame) {
    const group = drawn('g', { class: 'grid' });
    let free = -Infinity;
    for (const tick of ticksOf(x, Math.max(4, Math.floor((frame.right - frame.left) / 70)))) {
      const at = x.at(tick);
      const half = measure(tickText(tick)) / 2;
      group.append(drawn('line', { x1: at, x2: at, y1: frame.top, y2: frame.bottom, class: tick === 0 ? 'zero' : null }));
      if (at - half < free) continue;
      free = at + half + 8;
      const places = frame.far ? [frame.top - 7, frame.bottom + 18] : [frame.bottom + 18];
      for (const y of places) group.append(drawn('text', { x: Math.min(at, this.width - half), y, 'text-anchor': 'middle' }, tickText(tick)));
    }
    const heading = this.panel.heading + (x.log ? ', logarithmic' : '');
    group.append(drawn('text', { x: 0, y: 13, class: 'heading' }, heading));
    return group;
  }

  nameSeries(x, middleOf, count, frame) {
    let turn = -1;
    return this.visible.map((series) => {
      const group = drawn('g', { class: `series c${series.look[0]}` });
      if (!series.published) turn += 1;
      const shift = series.published || this.panel.ratio ? 0 : (turn - (count - 1) / 2) * (this.panel.bars ? 15 : 11);
      for (const point of series.points) {
        const at = x.at(point[Y]), y = middleOf(point[X]) + shift;
        if (this.panel.bars && !series.published) group.append(...this.bar(x, point, y));
        else group.append(...this.dot(series, point, x, y));
        this.spot(series, point, at, y);
      }
      return group;
    });
  }

  bar(x, point, y) {
    const from = x.at(0), to = x.at(point[Y]);
    return [
      drawn('rect', { x: from, y: y - 6, width: Math.max(1, to - from), height: 12, class: 'bar' }),
      drawn('text', { x: to + 5, y: y + 4, class: 'value' }, point[TEXT]),
    ];
  }

  dot(series, point, x, y) {
    const nodes = [];
    let from = x.at(x.log ? x.low : 0);
    if (!x.log) {
      (point[SHARES] || []).forEach((share, place) => {
        const width = x.at(share) - x.at(0);
        nodes.push(drawn('rect', { x: from, y: y - 5, width: Math.max(0, width - 0.5), height: 10, class: `share share${Math.min(place, 3)}` }));
        from += width;
      });
    }
    if (typeof point[LOW] === 'number') {
      const [low, high] = [x.at(point[LOW]), x.at(point[HIGH])];
      nodes.push(drawn('path', { class: 'whisker', d: `M${low} ${y}H${high}M${low} ${y - 4}v8M${high} ${y - 4}v8` }));
    }
    nodes.push(markNode(series, point, x.at(point[Y]), y, series.published ? 4.6 : 4.2));
    return nodes;
  }
}
