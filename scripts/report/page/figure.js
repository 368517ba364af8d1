// A figure: the SVG that matplotlib drew (report/figures.py) for the scales of its axes, buttons that hide series and
// turn axes logarithmic, and what the point says that the pointer or the keyboard is at. A point is [series, lines of
// text, address].

const SERIES = 0, LINES = 1, ADDRESS = 2;
const NEAR = 44; // pixels
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

class Figure {
  constructor(node, data) {
    Object.assign(this, { node, data, hidden: new Set(), current: null });
    this.scales = new Map(data.scales.map(([axis, , log]) => [axis, log]));
    this.host = node.querySelector('.panels');
    this.tip = element('div', { class: 'tip', role: 'status', hidden: '' });
    this.addControls(node.querySelector('.controls'));
    this.draw();
  }

  // The state of the axes: its SVG, and where each point is in it.
  draw() {
    const state = this.data.states[[...this.scales].filter(([, log]) => log).map(([axis]) => axis).join(' ')];
    const parsed = new DOMParser().parseFromString(state.svg, 'image/svg+xml').documentElement;
    this.svg = document.importNode(parsed, true);
    const attributes = { class: 'plot', tabindex: '0', role: 'application', 'aria-roledescription': 'figure' };
    for (const [name, value] of Object.entries(attributes)) this.svg.setAttribute(name, value);
    this.svg.setAttribute('aria-label', `${this.data.title}. Arrow keys go from point to point, Enter opens the record.`);
    this.focus = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
    for (const [name, value] of [['class', 'focus-ring'], ['r', 6], ['visibility', 'hidden']]) this.focus.setAttribute(name, value);
    this.svg.append(this.focus);
    this.spots = state.at.flatMap((at, i) => (at ? [{ x: at[0], y: at[1], point: this.data.points[i] }] : []));
    if (this.data.along === 'rows') this.spots.sort((a, b) => a.y - b.y);
    this.host.replaceChildren(this.svg, this.tip);
    this.hide();
    this.listen();
    this.node.dataset.drawn = 'true';
  }

  addControls(host) {
    const legend = element('div', { class: 'legend', role: 'group', 'aria-label': 'Series' });
    if (this.data.series.length > 1) legend.append(...this.data.series.map((series, i) => this.legendButton(series, i)));
    const scales = element('div', { class: 'scales', role: 'group', 'aria-label': 'Axes' });
    scales.append(...this.data.scales.map(([axis, name]) => this.scaleButton(axis, name)));
    host.append(legend, scales);
  }

  // A click hides or shows the series, a double click shows it alone, or all again.
  legendButton([name, colour, glyph], number) {
    const swatch = element('span', { class: `swatch c${colour}`, 'aria-hidden': 'true' }, glyph);
    const button = element('button', { type: 'button', class: 'chip', 'aria-pressed': 'true', title: 'Hide or show; a double click shows it alone' }, swatch, name);
    button.addEventListener('click', (event) => {
      const others = this.data.series.map((_, i) => i).filter((i) => i !== number);
      if (event.detail === 2) {
        const alone = others.every((i) => this.hidden.has(i));
        this.hidden = new Set(alone ? [] : others);
      } else if (!this.hidden.delete(number)) {
        this.hidden.add(number);
      }
      this.hide();
    });
    return button;
  }

  hide() {
    this.leave();
    this.svg.querySelectorAll('[data-series]').forEach((group) => {
      if (this.hidden.has(Number(group.dataset.series))) group.setAttribute('display', 'none');
      else group.removeAttribute('display');
    });
    this.node.querySelectorAll('.legend .chip').forEach((chip, i) => chip.setAttribute('aria-pressed', String(!this.hidden.has(i))));
  }

  scaleButton(axis, name) {
    const button = element('button', { type: 'button', class: 'plain scale', 'data-axis': axis, 'aria-label': `${name}, logarithmic` });
    const tell = () => {
      button.setAttribute('aria-pressed', String(this.scales.get(axis)));
      button.replaceChildren(`${name}: `, element('b', {}, this.scales.get(axis) ? 'log' : 'linear'));
    };
    tell();
    button.addEventListener('click', () => {
      this.scales.set(axis, !this.scales.get(axis));
      tell();
      this.draw();
    });
    return button;
  }

  get visible() {
    return this.spots.filter((spot) => !this.hidden.has(spot.point[SERIES]));
  }

  // Pixels of the window for a unit of the SVG.
  get scale() {
    return this.svg.getBoundingClientRect().width / this.svg.viewBox.baseVal.width;
  }

  show(spot, touched = false) {
    this.current = spot;
    const [series, lines, address] = spot.point;
    this.focus.setAttribute('cx', spot.x);
    this.focus.setAttribute('cy', spot.y);
    this.focus.setAttribute('visibility', 'visible');
    const classes = ['tip-x', 'tip-value', 'tip-interval'];
    const texts = lines.map((line, i) => element('span', { class: classes[i] }, line));
    const link = address && element('a', { href: `#${address}` }, address.startsWith('published') ? 'where it is printed' : 'record');
    this.tip.replaceChildren(...[element('b', {}, this.data.series[series][0]), ...texts, link].filter(Boolean));
    this.tip.classList.toggle('touched', touched);
    this.tip.hidden = false;
    const left = spot.x * this.scale, top = spot.y * this.scale, half = this.tip.offsetWidth / 2;
    this.tip.style.left = `${Math.max(half, Math.min(left, this.svg.getBoundingClientRect().width - half))}px`;
    const above = top - this.tip.offsetHeight - 14;
    this.tip.style.top = `${above < 0 ? top + 14 : above}px`;
  }

  leave() {
    this.current = null;
    this.tip.hidden = true;
    this.focus.setAttribute('visibility', 'hidden');
  }

  follow(spot) {
    if (spot && spot.point[ADDRESS]) location.hash = `#${spot.point[ADDRESS]}`;
  }

  // The point that is nearest to the pointer, if it is near.
  nearest(event) {
    const box = this.svg.getBoundingClientRect();
    const distance = (spot) => Math.hypot(spot.x * this.scale - event.clientX + box.left, spot.y * this.scale - event.clientY + box.top);
    let best = null, least = NEAR;
    for (const spot of this.visible) {
      const far = distance(spot);
      if (far < least) [best, least] = [spot, far];
    }
    return best;
  }

  listen() {
    // Who goes by the keyboard is not disturbed by a pointer that rests.
    const byKeyboard = () => this.svg.matches(':focus-visible');
    this.svg.addEventListener('pointermove', (event) => {
      if (byKeyboard() && !event.movementX && !event.movementY) return;
      const spot = this.nearest(event);
      if (spot) this.show(spot, event.pointerType === 'touch');
      else this.leave();
      this.svg.classList.toggle('at-point', Boolean(spot));
    });
    this.svg.addEventListener('pointerleave', (event) => {
      if (event.pointerType !== 'touch' && !byKeyboard() && !this.tip.contains(event.relatedTarget)) this.leave();
    });
    this.svg.addEventListener('click', (event) => {
      const spot = this.nearest(event);
      if (spot && event.pointerType === 'touch') this.show(spot, true);
      else this.follow(spot);
    });
    this.svg.addEventListener('blur', () => {
      if (!this.tip.matches(':hover') && !this.svg.matches(':hover')) this.leave();
    });
    this.svg.addEventListener('keydown', (event) => {
      const spots = this.visible;
      if (event.key === 'Enter') this.follow(this.current);
      else if (event.key === 'Escape') this.leave();
      else if (spots.length && DIRECTIONS[event.key]) this.show(this.current ? this.next(...DIRECTIONS[event.key]) : spots[0]);
      else if (spots.length && event.key === 'Home') this.show(spots[0]);
      else if (spots.length && event.key === 'End') this.show(spots.at(-1));
      else return;
      event.preventDefault();
    });
  }

  // In the direction that series run along, the next point of the series, or of all where each row is a case; in the
  // other, the nearest point that way.
  next(right, down) {
    const { x, y, point } = this.current;
    const isAlong = this.data.along === 'x' ? right : down;
    const ahead = (spot) => (spot.x - x) * right + (spot.y - y) * down;
    const aside = (spot) => Math.abs((spot.x - x) * down) + Math.abs((spot.y - y) * right);
    const that = this.visible.filter((spot) => spot !== this.current && ahead(spot) > 0.5);
    const found = that.filter((spot) => !isAlong || this.data.along === 'rows' || spot.point[SERIES] === point[SERIES]);
    const distance = (spot) => ahead(spot) + (isAlong ? 0 : 40 * aside(spot));
    return found.reduce((best, spot) => (distance(spot) < distance(best) ? spot : best), found[0] || this.current);
  }
}

// Figures are made when they come near, as a page may have a hundred.
function startFigures() {
  const made = new WeakSet();
  const make = (node) => {
    if (made.has(node)) return;
    made.add(node);
    new Figure(node, DATA.figures[Number(node.dataset.figure)]);
  };
  const nodes = document.querySelectorAll('figure.chart');
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) make(entry.target);
  }, { rootMargin: '600px' });
  nodes.forEach((node) => observer.observe(node));
  addEventListener('beforeprint', () => nodes.forEach(make));
}
