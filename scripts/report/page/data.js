// What the page is of: JSON, compressed by gzip, in base64.

let DATA;

async function readData() {
  const bytes = Uint8Array.from(atob(document.getElementById('data').textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  DATA = JSON.parse(await new Response(stream).text());
  DATA.fields = plain(DATA.fields);
}

// An object whose names strangers chose, without a prototype: it has no `constructor` but its own.
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  const object = Object.create(null);
  for (const name of Object.keys(value)) object[name] = plain(value[name]);
  return object;
}

// An element with its attributes and children; text is text, never markup.
function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// 1234567.25 -> 1 234 567.25, from five digits on.
function spaced(text) {
  const [whole, rest] = String(text).split('.');
  if (!/^-?\d{5,}$/.test(whole)) return String(text);
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}
