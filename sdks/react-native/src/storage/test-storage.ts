import { isPromise } from './steps.js';
import { type Storage } from './storage.js';

const prefix = 'sluice.t.';
/** As long as the longest names of the SDK. */
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
  for (const [rule, holds] of checksOf(storage)) {
    try {
      if (!(await holds())) broken.push(rule);
    } catch (error) {
      broken.push(`${rule} (${String(error)})`);
    }
  }
  for (const name of namesOf(await storage.getAllKeys())) await storage.removeItem(name);
  return broken;
}

const namesOf = (names: readonly string[]): string[] => names.filter((name) => name.startsWith(prefix));

function checksOf(storage: Storage): Check[] {
  const [one, other] = [`${prefix}one`, `${prefix}one.1-a_B`];
  const put = async (name: string, text: string): Promise<string | null> => {
    await storage.setItem(name, text);
    return (await storage.getItem(name)) ?? null;
  };
  return [
    [
      'all calls are synchronous, or all return promises',
      async () => {
        const answers = [storage.setItem(one, ''), storage.getItem(one), storage.getAllKeys(), storage.removeItem(one)];
        await Promise.all(answers);
        return new Set(answers.map(isPromise)).size === 1;
      },
    ],
    ['a missing name is null or undefined', async () => (await storage.getItem(`${prefix}missing`)) == null],
    ['getItem returns what setItem stored', async () => (await put(one, 'text')) === 'text'],
    ['setItem replaces a text', async () => (await put(one, 'shorter')) === 'shorter' && (await put(one, '')) === ''],
    ['a text of 100 KB comes back unchanged', async () => (await put(one, longText)) === longText],
    ['a name of 128 characters works', async () => (await put(longName, 'long')) === 'long'],
    [
      'a name that begins with another is another',
      async () => (await put(other, 'other')) === 'other' && (await storage.getItem(one)) === longText,
    ],
    [
      'getAllKeys names all',
      async () =>
        namesOf(await storage.getAllKeys())
          .sort()
          .join() === [longName, one, other].sort().join(),
    ],
    [
      'removeItem removes one text, and a missing one without an error',
      async () => {
        await storage.removeItem(other);
        await storage.removeItem(other);
        return (await storage.getItem(other)) == null && (await storage.getItem(one)) === longText;
      },
    ],
    [
      'writes of several names at once are all kept',
      async () => {
        const names = Array.from({ length: together }, (_, at) => `${prefix}many.${at}`);
        const all = <T>(work: (name: string) => Promise<T>): Promise<T[]> => Promise.all(names.map(work));
        await all(async (name) => {
          await storage.setItem(name, `text of ${name}`);
        });
        const texts = await all(async (name) => await storage.getItem(name));
        return texts.every((text, at) => text === `text of ${names[at] ?? ''}`);
      },
    ],
  ];
}
