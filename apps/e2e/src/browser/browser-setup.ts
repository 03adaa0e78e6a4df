import { findBrowser } from './find-browser.js';

/** Exits before the stack starts if no browser is installed. */
export function setup(): void {
  if (findBrowser() !== undefined) return;
  process.stderr.write(
    'No browser was found: install Chromium (Debian: apt-get install chromium) or set CHROMIUM_PATH to one.\n',
  );
  process.exit(1);
}
