// A figure: its panels, the buttons that hide series and turn axes logarithmic, and what a point says.

function swatch(series) {
  const icon = drawn('svg', { width: 26, height: 14, viewBox: '0 0 26 14', 'aria-hidden': 'true', class: `series c${series.look[0]}` });
  if (!series.published) icon.append(drawn('path', { class: 'line', d: 'M1 7H25', 'stroke-dasharray': DASHES[series.look[1]] || null }));
  icon.append(markNode(series, series.points[0] || [], 13, 7, series.published ? 4.2 : 3.8));
  return icon;
}

class Figure {
  constructor(node, data) {
    Object.assign(this, { node, data });
    this.options = { hidden: new Set(), logx: data.x.log, logy: data.logy };
    const host = node.querySelector('.panels');
    host.classList.toggle('several', data.panels.length > 1);
    this.charts = data.panels.map((panel) => {
      const place = element('div', { class: 'panel' });
      host.append(place);
      return new Chart(data, panel, place, this.options);
    });
    this.tip = element('div', { class: 'tip', role: 'status', hidden: '' });
    host.append(this.tip);
    this.addControls(node.querySelector('.controls'));
    this.charts.forEach((chart) => chart.svg.addEventListener('keydown', (event) => this.onKey(chart, event)));
    this.charts.forEach((chart) => chart.svg.addEventListener('blur', () => this.leave(chart)));
    this.width = 0;
    new ResizeObserver(() => this.resize()).observe(host);
  }

  resize() {
    const width = this.charts[0].host.clientWidth;
    if (width === this.width || !width) return;
    this.width = width;
    this.draw();
  }

  draw() {
    this.hideTip();
    this.charts.forEach((chart) => chart.draw());
    this.node.dataset.drawn = 'true';
  }

  get series() {
    const first = new Map();
    for (const chart of this.charts) {
      for (const series of chart.panel.series) if (!first.has(series.name)) first.set(series.name, series);
    }
    return [...first.values()];
  }

  addControls(host) {
    const legend = element('div', { class: 'legend', role: 'group', 'aria-label': 'Series' });
    if (this.series.length > 1) {
      for (const series of this.series) legend.append(this.legendButton(series));
    }
    const scales = element('div', { class: 'scales', role: 'group', 'aria-label': 'Axes' });
    const lines = this.data.kind === 'lines';
    if (lines && this.charts.every((chart) => chart.measuredX().every((x) => x > 0) && chart.measuredX().length > 1)) {
      scales.append(this.scaleButton('logx', this.data.x.name));
    }
    if (this.charts.some((chart) => !chart.panel.bars && chart.canBeLog)) {
      scales.append(this.scaleButton('logy', this.charts.length === 1 ? this.data.panels[0].label : 'values'));
    }
    host.append(legend, scales);
  }

  legendButton(series) {
    const button = element('button', { type: 'button', class: 'chip', 'aria-pressed': 'true', title: 'Hide or show; a double click shows it alone' }, swatch(series), series.name);
    button.addEventListener('click', (event) => {
      const { hidden } = this.options;
      const names = this.series.map((each) => each.name);
      if (event.detail === 2) {
        const alone = names.every((name) => name === series.name || hidden.has(name));
        hidden.clear();
        if (!alone || event.ctrlKey) names.filter((name) => name !== series.name).forEach((name) => hidden.add(name));
      } else if (!hidden.delete(series.name)) {
        hidden.add(series.name);
      }
      this.node.querySelectorAll('.legend .chip').forEach((each, i) => each.setAttribute('aria-pressed', String(!hidden.has(names[i]))));
      this.draw();
    });
    return button;
  }

  scaleButton(option, name) {
    const button = element('button', { type: 'button', class: 'plain scale', 'data-axis': option });
    const tell = () => {
      button.setAttribute('aria-pressed', String(this.options[option]));
      button.replaceChildren(`${name}: `, element('b', {}, this.options[option] ? 'log' : 'linear'));
      button.setAttribute('aria-label', `${name}, logarithmic`);
    };
    tell();
    button.addEventListener('click', () => {
      this.options[option] = !this.options[option];
      tell();
      this.draw();
    });
    return button;
  }

  show(chart, spot, touched) {
    this.current = spot;
    const { series, point } = spot;
    chart.focus.setAttribute('cx', spot.x);
    chart.focus.setAttribute('cy', spot.y);
    chart.focus.setAttribute('visibility', 'visible');
    const unit = chart.panel.unit ? ` ${chart.panel.unit}` : '';
    const x = this.data.kind === 'names' ? this.data.categories[point[X]] : this.xText(point[X]);
    const told = [element('b', {}, series.name), element('span', { class: 'tip-x' }, x), element('span', { class: 'tip-value' }, `${point[TEXT]}${unit}`)];
    if (point[INTERVAL] && !series.published) told.push(element('span', { class: 'tip-interval' }, `${point[INTERVAL]}${unit}`));
    if (point[RECORD] !== null) told.push(element('a', { href: hashOf(spot) }, series.published ? 'where it is printed' : 'record'));
    this.tip.replaceChildren(...told);
    this.tip.classList.toggle('touched', Boolean(touched));
    this.tip.hidden = false;
    const box = chart.host;
    const left = box.offsetLeft + spot.x, top = box.offsetTop + spot.y;
    const half = this.tip.offsetWidth / 2;
    const most = this.tip.parentElement.clientWidth - half;
    this.tip.style.left = `${Math.min(Math.max(left, half), Math.max(most, half))}px`;
    const below = top - this.tip.offsetHeight - 14 < -30;
    this.tip.style.top = `${below ? top + 14 : top - this.tip.offsetHeight - 14}px`;
  }

  xText(value) {
    if (value === null) return `any ${this.data.x.name}`;
    return `${this.data.x.name} ${this.data.x.sizes ? sizeText(value) : spaced(value)}`;
  }

  hideTip() {
    this.current = null;
    this.tip.hidden = true;
    this.charts.forEach((chart) => chart.focus && chart.focus.setAttribute('visibility', 'hidden'));
  }

  leave(chart) {
    if (!this.tip.matches(':hover') && !chart.svg.matches(':hover')) this.hideTip();
  }

  onKey(chart, event) {
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key === 'Enter') followSpot(this.current);
    else if (event.key === 'Escape') this.hideTip();
    else if (directions[event.key]) this.step(chart, directions[event.key]);
    else if (event.key === 'Home' || event.key === 'End') this.show(chart, chart.spots.at(event.key === 'Home' ? 0 : -1));
    else return;
    event.preventDefault();
  }

  // Along the series by the arrows of the axis that it runs along; to a neighbour's point by the others.
  step(chart, [right, down]) {
    const spots = chart.spots;
    if (!spots.length) return;
    if (!spots.includes(this.current)) {
      this.show(chart, spots[0]);
      return;
    }
    const { x, y, series } = this.current;
    const lines = this.data.kind === 'lines';
    const along = lines ? right : down;
    if (along) {
      const own = chart.panel.ratio ? spots : spots.filter((spot) => spot.series === series);
      const next = own[own.indexOf(this.current) + along];
      if (next) this.show(chart, next);
      return;
    }
    const others = spots.filter((spot) => spot !== this.current && (lines ? Math.abs(spot.x - x) < 1 && (spot.y - y) * down > 0 : spot.point[X] === this.current.point[X] && (spot.x - x) * right > 0));
    const distance = (spot) => Math.hypot(spot.x - x, spot.y - y);
    others.sort((a, b) => distance(a) - distance(b));
    if (others.length) this.show(chart, others[0]);
  }
}

function hashOf(spot) {
  return `#${spot.series.published ? 'published' : 'record'}-${spot.point[RECORD]}`;
}

// What a point is of; a comparison's may have no record on the page.
function followSpot(spot) {
  if (spot && spot.point[RECORD] !== null) location.hash = hashOf(spot);
}

// The point that is nearest to the pointer, if it is near.
function followPointer(chart) {
  const nearest = (event) => {
    const box = chart.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = null, least = 44 ** 2;
    for (const spot of chart.spots || []) {
      const across = spot.point[X] === null;
      const distance = (across ? 0 : (spot.x - x) ** 2) + (spot.y - y) ** 2 + (across ? 60 : 0);
      if (distance < least) [best, least] = [spot, distance];
    }
    return best;
  };
  const owner = () => FIGURE_OF.get(chart.host.closest('figure'));
  // Who goes by the keyboard is not disturbed by a pointer that rests.
  const byKeyboard = () => chart.svg.matches(':focus-visible');
  chart.svg.addEventListener('pointermove', (event) => {
    if (byKeyboard() && !event.movementX && !event.movementY) return;
    const spot = nearest(event);
    if (spot) owner().show(chart, spot, event.pointerType === 'touch');
    else owner().hideTip();
    chart.svg.style.cursor = spot ? 'pointer' : '';
  });
  chart.svg.addEventListener('pointerleave', (event) => {
    if (event.pointerType !== 'touch' && !byKeyboard() && !owner().tip.contains(event.relatedTarget)) owner().hideTip();
  });
  chart.svg.addEventListener('click', (event) => {
    const spot = nearest(event);
    if (!spot) return;
    if (event.pointerType === 'touch') owner().show(chart, spot, true);
    else followSpot(spot);
  });
}

const FIGURE_OF = new WeakMap();

// Figures are made when they come near, as a page may have a hundred.
function startFigures() {
  const make = (node) => {
    if (FIGURE_OF.has(node)) return;
    FIGURE_OF.set(node, new Figure(node, FIGURES[Number(node.dataset.figure)]));
  };
  const nodes = document.querySelectorAll('figure.chart');
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      observer.unobserve(entry.target);
      make(entry.target);
    }
  }, { rootMargin: '600px' });
  nodes.forEach((node) => observer.observe(node));
  addEventListener('beforeprint', () => nodes.forEach((node) => {
    make(node);
    FIGURE_OF.get(node).resize();
  }));
}
