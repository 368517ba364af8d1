// A panel over the page that shows where a number comes from: a record with all fields, a printed number, a source.
// Which is shown is in the address: #record-12, #published-3, #kernels/reduce/harris3.cu:20.

const GROUPS = [
  ['Case', ['key', 'variant', 'problem', 'n', 'type', 'operator', 'axes', 'parameters', 'seed', 'device', 'hardware', 'mode', 'case']],
  ['Outcome', ['outcome', 'reason', 'stale', 'error', 'error_bound', 'chain']],
  ['Time', ['time_ns', 'time_low_ns', 'time_high_ns', 'noise_percent', 'ns_per_input', 'forks', 'passes', 'stopped', 'taken_off_ns', 'taken_off_error_ns', 'taken_off_percent', 'empty_sample_ns', 'clock_tick_ns', 'samples_ns', 'again_ns']],
  ['Bytes and ceilings', ['bytes_read', 'bytes_written', 'bandwidth_gb_per_s', 'percent_of_ceiling', 'above_ceiling', 'ceiling_read_gb_per_s', 'ceiling_read_by', 'ceiling_mix_gb_per_s', 'ceiling_mix_by', 'ceiling_copy_gb_per_s', 'ceiling_write_gb_per_s', 'scratch_bytes']],
];
const TABLES = ['launches', 'trace'];

const PANEL = document.getElementById('panel');
const PANEL_BODY = document.getElementById('panel-body');
const PANEL_TITLE = document.getElementById('panel-title');

function numberText(value) {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return spaced(value);
  const size = Math.abs(value);
  if (size >= 1e12 || size < 1e-4) return value.toExponential(4);
  return spaced(Number(value.toPrecision(7)));
}

function valueNode(value, unit) {
  if (value === true || value === false) return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    return element('span', { title: String(value) }, numberText(value) + (unit ? `${'\u00a0'}${unit}` : ''));
  }
  if (Array.isArray(value)) return value.length ? value.map((item) => (item !== null && typeof item === 'object' ? JSON.stringify(item) : String(item))).join(', ') : 'none';
  if (value !== null && typeof value === 'object') return pairsNode(value);
  return String(value);
}

function pairsNode(object) {
  return element('span', { class: 'pairs' }, ...Object.keys(object).map((name) => element('span', {}, element('i', {}, `${name} `), valueNode(object[name], (DATA.fields[name] || [])[2]))));
}

function fieldRow(name, value) {
  const [meaning, , unit] = DATA.fields[name] || ['', '', ''];
  const head = element('th', { scope: 'row' }, element('span', { class: 'code' }, name));
  const cell = element('td', {}, valueNode(value, unit));
  if (meaning) cell.append(element('small', {}, meaning));
  return element('tr', {}, head, cell);
}

function fieldTable(record, names) {
  const isEmpty = (value) => value === null || value === undefined || (typeof value === 'object' && !Object.keys(value).length);
  const present = names.filter((name) => !isEmpty(record[name]));
  if (!present.length) return null;
  return element('table', { class: 'fields' }, element('tbody', {}, ...present.map((name) => fieldRow(name, record[name]))));
}

function section(title, ...content) {
  const kept = content.filter(Boolean);
  return kept.length ? element('section', {}, element('h3', {}, title), ...kept) : null;
}

// Objects of one kind as a table, a row each: of fields that any of them has and that are not nested.
function listTable(items) {
  const flat = items.filter((item) => item && typeof item === 'object');
  const names = [...new Set(flat.flatMap((item) => Object.keys(item)))].filter((name) => flat.some((item) => {
    const value = item[name];
    return value !== null && value !== undefined && typeof value !== 'object';
  }));
  const cell = (item, name) => {
    if (name === 'line' && DATA.sources[item.file] !== undefined) return element('a', { href: `#${item.file}:${item.line}` }, String(item.line));
    const value = item[name];
    return value === null || value === undefined ? '' : valueNode(value, '');
  };
  const heads = names.map((name) => {
    const unit = (DATA.fields[name] || [])[2];
    return element('th', { scope: 'col' }, unit ? `${name} (${unit})` : name);
  });
  return element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table' },
    element('table', { class: 'data' }, element('thead', {}, element('tr', {}, ...heads)),
      element('tbody', {}, ...flat.map((item) => element('tr', {}, ...names.map((name) => element('td', { class: typeof item[name] === 'number' ? 'number' : null }, cell(item, name))))))));
}

function launchLines(launches) {
  return launches.map((launch, i) => (launch.lines && launch.lines.length ? element('details', {}, element('summary', {}, `source lines of launch ${i + 1}`), listTable(launch.lines)) : null));
}

// The case in a line, and its number.
function headline(record) {
  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
  const time = record.time_ns;
  const [scale, unit] = units.find(([least]) => time >= least) || units[3];
  const text = (value) => Number((value / scale).toPrecision(4));
  const parts = [record.outcome !== 'passed' ? element('b', { class: `outcome ${record.outcome}` }, record.outcome) : null];
  if (typeof time === 'number') {
    parts.push(element('b', {}, `${text(time)} ${unit}`));
    if (typeof record.time_low_ns === 'number') parts.push(` (${text(record.time_low_ns)} to ${text(record.time_high_ns)})`);
    if (typeof record.bandwidth_gb_per_s === 'number') parts.push(`, ${numberText(Number(record.bandwidth_gb_per_s.toPrecision(4)))} GB/s`);
  }
  return element('p', { class: 'headline' }, ...parts);
}

function recordNodes(number) {
  const record = plain(DATA.records[number]);
  const grouped = new Set(GROUPS.flatMap(([, names]) => names).concat(TABLES, 'counters', 'clocks', 'source', 'schema'));
  const rest = Object.keys(record).filter((name) => !grouped.has(name));
  const empty = Object.keys(record).filter((name) => record[name] === null);
  const withLists = (name) => Array.isArray(record[name]) && record[name].length;
  return [
    headline(record),
    record.source ? element('p', {}, element('a', { href: `#${record.source}` }, `source: ${record.source}`), record.stale ? ' (the record is stale: it is of another source)' : '') : null,
    ...GROUPS.map(([title, names]) => section(title, fieldTable(record, names))),
    section('Launches', withLists('launches') ? listTable(record.launches) : null, ...launchLines(record.launches || [])),
    section('Counters', record.counters ? fieldTable(record.counters, Object.keys(record.counters)) : null),
    section('Clocks', record.clocks ? fieldTable(record.clocks, Object.keys(record.clocks)) : null),
    section('Trace', withLists('trace') ? listTable(record.trace) : null),
    section('Other fields', fieldTable(record, rest)),
    empty.length ? element('details', {}, element('summary', {}, `${empty.length} fields without a value, and why`), element('dl', { class: 'empty' }, ...empty.flatMap((name) => [element('dt', { class: 'code' }, name), element('dd', {}, (DATA.fields[name] || ['', ''])[1] || '')]))) : null,
    element('details', {}, element('summary', {}, 'as JSON'), element('pre', { class: 'json', tabindex: '0' }, JSON.stringify(record, null, 1))),
  ];
}

function publishedNodes(number) {
  const printed = plain(DATA.published[number]);
  return [element('table', { class: 'fields' }, element('tbody', {}, ...Object.keys(printed).map((name) => fieldRow(name, printed[name]))))];
}

// A line of source; the file that it includes leads to that one.
function lineNodes(text) {
  const found = /^(\s*#include ")([^"]+)(".*)$/.exec(text);
  if (!found || !Object.hasOwn(DATA.sources, found[2])) return [text || ' '];
  return [found[1], element('a', { href: `#${found[2]}` }, found[2]), found[3]];
}

function sourceNodes(path) {
  const lines = DATA.sources[path].replace(/\n$/, '').split('\n');
  const list = element('ol', { class: path.endsWith('.md') ? 'source wrapped' : 'source' });
  lines.forEach((text, i) => {
    list.append(element('li', { id: `${path}:${i + 1}` }, element('a', { href: `#${path}:${i + 1}`, tabindex: '-1', 'aria-label': `line ${i + 1}` }), element('code', {}, ...lineNodes(text))));
  });
  return [element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Source of ${path}` }, list)];
}

// [title, nodes, line] of what an address names; nothing where it names a place of the page.
function contentOf(hash) {
  const name = decoded(hash);
  let found = /^record-(\d+)$/.exec(name);
  if (found && DATA.records[found[1]]) return [DATA.records[found[1]].variant, recordNodes(Number(found[1])), null];
  found = /^published-(\d+)$/.exec(name);
  if (found && DATA.published[found[1]]) return ['Printed in the paper', publishedNodes(Number(found[1])), null];
  const [, path, line] = /^(.*?)(?::(\d+))?$/.exec(name);
  if (Object.hasOwn(DATA.sources, path)) return [path, sourceNodes(path), line ? `${path}:${line}` : null];
  return null;
}

function decoded(hash) {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return '';
  }
}

let opener = null;
let shown = '';

function showAddress() {
  const content = contentOf(location.hash);
  if (!content) {
    if (PANEL.open) PANEL.close();
    return;
  }
  shown = location.hash;
  const [title, nodes, line] = content;
  PANEL_TITLE.textContent = title;
  PANEL.classList.toggle('wide', Object.hasOwn(DATA.sources, title));
  PANEL_BODY.replaceChildren(...nodes.filter(Boolean));
  if (!PANEL.open) {
    opener = document.activeElement;
    PANEL.showModal();
  }
  PANEL.scrollTop = 0;
  PANEL_BODY.scrollTop = 0;
  PANEL_TITLE.focus({ preventScroll: true });
  const marked = line && document.getElementById(line);
  if (marked) {
    marked.classList.add('marked');
    marked.scrollIntoView({ block: 'center' });
  }
}

function startPanel() {
  addEventListener('hashchange', showAddress);
  document.getElementById('panel-close').addEventListener('click', () => PANEL.close());
  PANEL.addEventListener('click', (event) => { if (event.target === PANEL) PANEL.close(); });
  PANEL.addEventListener('close', () => {
    if (location.hash === shown) history.replaceState(null, '', location.pathname + location.search);
    if (opener && opener.isConnected) opener.focus({ preventScroll: true });
    opener = null;
  });
  if (location.hash) showAddress();
}
