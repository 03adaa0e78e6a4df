import { existsSync } from 'node:fs';

const findPath = (variable: string, defaults: readonly string[]): string | undefined => {
  const chosenPath = process.env[variable];
  return (chosenPath === undefined ? defaults : [chosenPath]).find((path) => existsSync(path));
};

const chromium = findPath('CHROMIUM_PATH', [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]);
const firefox = findPath('FIREFOX_PATH', ['/usr/bin/firefox-esr', '/usr/bin/firefox']);
const bus = findPath('DBUS_DAEMON_PATH', ['/usr/bin/dbus-daemon']);
/** Firefox shows notifications through this library. */
const libnotify = findPath(
  'LIBNOTIFY_PATH',
  ['x86_64', 'aarch64'].map((architecture) => `/usr/lib/${architecture}-linux-gnu/libnotify.so.4`),
);

/** Paths of the programs and the library that these tests need; undefined if not installed. */
export const installedPrograms = { chromium, firefox, bus, libnotify };

const packages: Readonly<Record<keyof typeof installedPrograms, string>> = {
  chromium: 'chromium',
  firefox: 'firefox-esr',
  bus: 'dbus',
  libnotify: 'libnotify4',
};

/** Missing programs, each with the command that installs it. Tests that need one are skipped. */
export const missing = (): string[] =>
  Object.entries(installedPrograms).flatMap(([name, path]) => {
    const debian = packages[name as keyof typeof installedPrograms];
    return path === undefined ? [`${name} is not installed (Debian: apt-get install ${debian})`] : [];
  });
