import { expect, it } from 'vitest';

/** Texts of all files by their path in this folder, such as `ui/button.tsx`. */
const texts = new Map(
  Object.entries(import.meta.glob<string>('./**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true }))
    .map(([path, text]) => [path.slice('./'.length), text] as const)
    .filter(([path]) => !path.includes('.spec.')),
);
const files = [...texts.keys()];

/** Folder of a file; a page with its parts has one of its own. */
const roomOf = (file: string): string => file.split('/').slice(0, -1).join('/');

/** Files that a file imports, also for their types only. */
function importsOf(file: string): string[] {
  const paths = (texts.get(file) ?? '').matchAll(/(?:from |import\()'(\.[^']*)'/g);
  return [...paths].flatMap(([, path = '']) => {
    const target = new URL(path, `http://root/${file}`).pathname.slice(1);
    return [`${target}.ts`, `${target}.tsx`].filter((one) => texts.has(one));
  });
}

const ofFiles = new Map(files.map((file) => [file, new Set(importsOf(file))]));
const ofRooms = new Map<string, Set<string>>();
for (const [file, imported] of ofFiles) {
  const others = ofRooms.get(roomOf(file)) ?? new Set();
  ofRooms.set(roomOf(file), others);
  for (const other of imported) if (roomOf(other) !== roomOf(file)) others.add(roomOf(other));
}

/** Everything that is imported by a file or a room, and what that imports. */
function reached(start: string, imports: ReadonlyMap<string, ReadonlySet<string>>, seen = new Set<string>()) {
  for (const other of imports.get(start) ?? []) {
    if (seen.has(other)) continue;
    seen.add(other);
    reached(other, imports, seen);
  }
  return seen;
}

it('sees the rooms and what they import', () => {
  expect(ofRooms.size).toBeGreaterThan(10);
  expect(ofRooms.get('pages/settings')).toContain('ui');
  expect(files.filter((file) => roomOf(file) === 'pages')).toEqual([]);
});

it.each([...ofRooms.keys()])('%s imports no room that imports it', (room) =>
  expect(reached(room, ofRooms)).not.toContain(room),
);

it('no file imports a file that imports it, not even a type', () =>
  expect(files.filter((file) => reached(file, ofFiles).has(file))).toEqual([]));

it.each([
  ['data', ['ui', 'app', 'pages']],
  ['ui', ['app', 'pages']],
])('%s imports nothing of %s', (room, others) =>
  expect([...(ofRooms.get(room) ?? [])].filter((one) => others.includes(one.split('/')[0] ?? ''))).toEqual([]),
);
