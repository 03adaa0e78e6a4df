export type Theme = 'light' | 'dark' | 'system';

/** Keeps the choice in this browser; `public/theme.js` applies it before the next first paint. */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') {
    delete dataset['theme'];
    localStorage.removeItem('theme');
    return;
  }
  dataset['theme'] = theme;
  localStorage.setItem('theme', theme);
}
