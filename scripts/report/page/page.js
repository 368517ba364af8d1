// The page's own switches, and the start of all parts.

const THEMES = { auto: 'Auto', light: 'Light', dark: 'Dark' };

// A browser may refuse a file from disk its memory.
function remembered(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function startTheme() {
  const button = document.getElementById('theme');
  const names = Object.keys(THEMES);
  const apply = (name) => {
    if (name === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    button.textContent = THEMES[name];
    button.setAttribute('aria-label', `Colours: ${name === 'auto' ? 'as the system has them' : name}`);
    button.dataset.theme = name;
  };
  const first = remembered('redbench-theme');
  apply(names.includes(first) ? first : 'auto');
  button.addEventListener('click', () => {
    const next = names[(names.indexOf(button.dataset.theme) + 1) % names.length];
    remembered('redbench-theme', next);
    apply(next);
  });
}

function startContents() {
  const button = document.querySelector('.contents-switch');
  const nav = document.getElementById('contents');
  const open = (yes) => {
    button.setAttribute('aria-expanded', String(yes));
    nav.classList.toggle('open', yes);
  };
  button.addEventListener('click', () => open(button.getAttribute('aria-expanded') !== 'true'));
  nav.addEventListener('click', (event) => { if (event.target.closest('a')) open(false); });
  const links = new Map([...nav.querySelectorAll('a')].map((link) => [decoded(link.getAttribute('href')), link]));
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const link = links.get(entry.target.id);
      if (link) link.classList.toggle('here', entry.isIntersecting);
    }
  }, { rootMargin: '-20% 0px -60%' });
  document.querySelectorAll('main section[id]').forEach((node) => observer.observe(node));
}

function startFilters() {
  document.querySelectorAll('.filters .chip').forEach((button) => button.addEventListener('click', () => {
    const shown = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(shown));
    document.querySelectorAll('[data-verdict]').forEach((node) => {
      if (node !== button && node.dataset.verdict === button.dataset.verdict) node.hidden = !shown;
    });
  }));
}

startTheme();
startContents();
startFilters();
startTables();
readData().then(() => {
  fillTables();
  startFigures();
  startPanel();
  document.documentElement.dataset.ready = 'true';
});
