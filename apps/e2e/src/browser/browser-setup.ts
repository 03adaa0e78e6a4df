import { findBrowser } from './find-browser.js';

/** Before anything is started: without a browser there is nothing to test. */
export function setup(): void {
  if (findBrowser() !== undefined) return;
  process.stderr.write(
    'No browser was found: install Chromium (Debian: apt-get install chromium) or set CHROMIUM_PATH to one.\n',
  );
  process.exit(1);
}
