import { existsSync } from 'node:fs';

const firstOf = (variable: string, defaults: readonly string[]): string | undefined => {
  const named = process.env[variable];
  return (named === undefined ? defaults : [named]).find((path) => existsSync(path));
};

const chromium = firstOf('CHROMIUM_PATH', ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']);
const firefox = firstOf('FIREFOX_PATH', ['/usr/bin/firefox-esr', '/usr/bin/firefox']);
const bus = firstOf('DBUS_DAEMON_PATH', ['/usr/bin/dbus-daemon']);
/** Firefox shows notifications through this library. */
const libnotify = firstOf(
  'LIBNOTIFY_PATH',
  ['x86_64', 'aarch64'].map((one) => `/usr/lib/${one}-linux-gnu/libnotify.so.4`),
);

/** Paths of the programs and the library that these tests need; undefined if not installed. */
export const installed = { chromium, firefox, bus, libnotify };

const packages: Readonly<Record<keyof typeof installed, string>> = {
  chromium: 'chromium',
  firefox: 'firefox-esr',
  bus: 'dbus',
  libnotify: 'libnotify4',
};

/** Missing programs, each with the command that installs it. Tests that need one are skipped. */
export const missing = (): string[] =>
  Object.entries(installed).flatMap(([name, path]) => {
    const debian = packages[name as keyof typeof installed];
    return path === undefined ? [`${name} is not installed (Debian: apt-get install ${debian})`] : [];
  });
