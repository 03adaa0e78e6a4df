import { existsSync } from 'node:fs';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of an installed Chromium, or undefined. */
export const findBrowser = (): string | undefined => {
  const named = process.env['CHROMIUM_PATH'];
  return (named === undefined ? usual : [named]).find((path) => existsSync(path));
};
