// Runs before the page's code is read. It is small, and waits for nothing.

// The scheme of colours, so that the page never flashes in the other one.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's scheme holds.
}

// What a page asks first, and its code: both are on their way while the rest is read (src/data/early.ts takes them).
{
  const { pathname, search } = location;
  const hourAgo = new Date(Math.floor((Date.now() - 3_600_000) / 10_000) * 10_000).toISOString();
  const from = encodeURIComponent(hourAgo);
  const pages = {
    '/': ['/api/status', `/api/overview?from=${from}`],
    '/live': ['/api/sources'],
    '/refused': [`/api/refused?from=${from}`],
    '/sources': ['/api/sources'],
    '/pipeline': ['/api/status'],
    '/dead-letters': ['/api/dead-letters?limit=200'],
  };
  const answers = new Map();
  const ask = (address) => {
    const answer = fetch(address);
    // Whoever takes it hears of the failure.
    answer.catch(() => undefined);
    answers.set(address, answer);
  };
  if (pathname !== '/login') {
    const code = JSON.parse(document.currentScript?.dataset.code ?? '{}')[pathname];
    if (code) document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: code }));
    ask('/api/session');
    ask('/api/servers');
    // An address with filters asks something else.
    if (search === '') for (const address of pages[pathname] ?? []) ask(address);
  }
  globalThis.sluiceFirst = answers;
}
