import { isPromise } from './steps.js';
import { type Storage } from './storage.js';

const prefix = 'sluice.t.';
/** A name as long as the longest of the SDK. */
const longName = `${prefix}${'n'.repeat(128 - prefix.length)}`;
/** A text longer than a full batch of 48 KiB, with everything that a store may get wrong. */
const longText = `${'\u0634\u{1f600}\u00e9 "\\\n\u2028\t'.repeat(8_192)}end`;
const together = 20;

type Check = readonly [rule: string, holds: () => Promise<boolean>];

/**
 * Tests whether a store keeps the rules of `Storage`. Returns the rules that it breaks; an empty list means that the
 * client can use it. Only a kill can show whether texts survive a killed app. Leaves nothing behind.
 */
export async function testStorage(storage: Storage): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const [rule, holds] of listChecks(storage)) {
    try {
      if (!(await holds())) broken.push(rule);
    } catch (error) {
      broken.push(`${rule} (${String(error)})`);
    }
  }
  for (const name of testNames(await storage.getAllKeys())) await storage.removeItem(name);
  return broken;
}

const testNames = (names: readonly string[]): string[] => names.filter((name) => name.startsWith(prefix));

function listChecks(storage: Storage): Check[] {
  const [key, longerKey] = [`${prefix}one`, `${prefix}one.1-a_B`];
  const save = async (name: string, text: string): Promise<string | null> => {
    await storage.setItem(name, text);
    return (await storage.getItem(name)) ?? null;
  };
  return [
    [
      'all calls are synchronous, or all return promises',
      async () => {
        const answers = [storage.setItem(key, ''), storage.getItem(key), storage.getAllKeys(), storage.removeItem(key)];
        await Promise.all(answers);
        return new Set(answers.map(isPromise)).size === 1;
      },
    ],
    ['a missing name is null or undefined', async () => (await storage.getItem(`${prefix}missing`)) == null],
    ['getItem returns what setItem stored', async () => (await save(key, 'text')) === 'text'],
    ['setItem replaces a text', async () => (await save(key, 'shorter')) === 'shorter' && (await save(key, '')) === ''],
    ['a text of 100 KB comes back unchanged', async () => (await save(key, longText)) === longText],
    ['a name of 128 characters works', async () => (await save(longName, 'long')) === 'long'],
    [
      'a name that begins with another is another',
      async () => (await save(longerKey, 'other')) === 'other' && (await storage.getItem(key)) === longText,
    ],
    [
      'getAllKeys names all',
      async () =>
        testNames(await storage.getAllKeys())
          .sort()
          .join() === [longName, key, longerKey].sort().join(),
    ],
    [
      'removeItem removes one text, and a missing one without an error',
      async () => {
        await storage.removeItem(longerKey);
        await storage.removeItem(longerKey);
        return (await storage.getItem(longerKey)) == null && (await storage.getItem(key)) === longText;
      },
    ],
    [
      'writes of several names at once are all kept',
      async () => {
        const names = Array.from({ length: together }, (_, index) => `${prefix}many.${index}`);
        const forEachName = <T>(work: (name: string) => Promise<T>): Promise<T[]> => Promise.all(names.map(work));
        await forEachName(async (name) => {
          await storage.setItem(name, `text of ${name}`);
        });
        const texts = await forEachName(async (name) => await storage.getItem(name));
        return texts.every((text, index) => text === `text of ${names[index] ?? ''}`);
      },
    ],
  ];
}
