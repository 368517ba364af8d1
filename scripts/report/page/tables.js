// Tables that sort: by a column, up, down, and as they stood.

const ORDERS = ['ascending', 'descending', 'none'];

function sortKey(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.v === undefined ? cell.textContent.trim() : cell.dataset.v;
  const number = Number(text);
  return text !== '' && !Number.isNaN(number) ? number : text;
}

// Nothing comes last whichever way; numbers before names.
function compareKeys(a, b, sign) {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  if (typeof a === 'number') return -sign;
  if (typeof b === 'number') return sign;
  return sign * a.localeCompare(b, undefined, { numeric: true });
}

function sortTable(head) {
  const table = head.closest('table');
  const body = table.tBodies[0];
  const rows = [...body.rows];
  rows.forEach((row, place) => { if (row.dataset.place === undefined) row.dataset.place = place; });
  const order = ORDERS[(ORDERS.indexOf(head.getAttribute('aria-sort') || 'none') + 1) % ORDERS.length];
  for (const other of head.parentElement.cells) other.removeAttribute('aria-sort');
  if (order !== 'none') head.setAttribute('aria-sort', order);
  const place = (row) => Number(row.dataset.place);
  const keys = new Map(rows.map((row) => [row, order === 'none' ? place(row) : sortKey(row, head.cellIndex)]));
  const sign = order === 'descending' ? -1 : 1;
  rows.sort((a, b) => compareKeys(keys.get(a), keys.get(b), sign) || place(a) - place(b));
  body.append(...rows);
}

// The rows of long tables, which report/tables.py wrote as HTML, every text of strangers escaped.
function fillTables() {
  document.querySelectorAll('tbody[data-rows]').forEach((body) => {
    body.innerHTML = DATA.tables[Number(body.dataset.rows)].join('');
  });
}

function startTables() {
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button.sort');
    if (button) sortTable(button.closest('th'));
  });
}
