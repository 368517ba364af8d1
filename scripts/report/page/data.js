// What the page is of. Objects come without their names, which many share (report/embedding.py): a list that begins
// with -1 is a list, else its first item is the number of its shape, the list of its names.
const DATA = JSON.parse(document.getElementById('data').textContent);

function unpack(value) {
  if (!Array.isArray(value)) return value;
  const items = value.slice(1).map(unpack);
  if (value[0] === -1) return items;
  // Names of strangers: an object without a prototype has no __proto__ to be changed.
  const object = Object.create(null);
  DATA.shapes[value[0]].forEach((name, i) => { object[name] = items[i]; });
  return object;
}

const FIGURES = unpack(DATA.figures);

// An element with its attributes and children; text is text, never markup.
function element(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function drawn(name, attributes, ...children) {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const THIN_SPACE = '\u202f';

// 1234567.25 -> 1 234 567.25, from five digits on.
function spaced(text) {
  const [whole, rest] = String(text).split('.');
  if (!/^-?\d{5,}$/.test(whole)) return String(text);
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, THIN_SPACE);
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

// 16777216 -> 16 Mi.
function sizeText(value) {
  for (const [suffix, power] of [['Gi', 2 ** 30], ['Mi', 2 ** 20], ['Ki', 2 ** 10]]) {
    if (value >= power && value % power === 0) return `${value / power} ${suffix}`;
  }
  return spaced(value);
}
