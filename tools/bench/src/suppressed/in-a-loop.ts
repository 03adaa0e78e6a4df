import { hashKey } from '@sluice/contracts';
import { type PrivacyKey, type Subject, toSuppressedId, SuppressionRegistry } from '@sluice/privacy';
import { type BenchFigure } from '../report.js';
import { median } from '../statistics.js';

const calls = 1_000_000;
const rounds = 5;
const group = 'the decision in a loop';

/** CPU nanoseconds of a decision about a message of someone who is not suppressed, and the memory of the registry. */
export function decisionFigures(subjects: readonly Subject[], key: PrivacyKey): BenchFigure[] {
  const before = heapMiB();
  const registry = makeRegistry(subjects, key);
  const memory = heapMiB() - before;
  const [{ source } = { source: '' }] = subjects;
  const suppressions = registry.forSource(source);
  if (!suppressions) throw new Error('nobody is suppressed');
  const users = Array.from({ length: 10_000 }, (_, i) => `user-${i}`);
  const browsers = users.map((id) => `${id}-7f3c2b`);
  const keys = users.map((id) => `${source}:${id}`);
  const hashes = keys.map((kafkaKey) => hashKey(kafkaKey));
  const pickAt = (list: readonly string[], n: number): string => list[n % list.length] ?? '';
  const now = Date.now();
  return [
    figure('murmur2 of the key, which the publisher needs anyway', (n) => hashKey(pickAt(keys, n))),
    figure('the rest, of a message with a user id', (n) => suppressions.mayHold(hashes[n % hashes.length] ?? 0)),
    figure('the rest, of a message with both ids', (n) =>
      suppressions.drops(
        { userId: pickAt(users, n), anonymousId: pickAt(browsers, n) },
        now,
        hashes[n % hashes.length],
      ),
    ),
    { group, measure: `memory of ${subjects.length} ids`, unit: 'MiB', sluice: memory },
  ];
}

function makeRegistry(subjects: readonly Subject[], key: PrivacyKey): SuppressionRegistry {
  const registry = new SuppressionRegistry(key);
  for (const subject of subjects) {
    const { source, kind, hash } = toSuppressedId(key, subject);
    const value = {
      key_id: key.id,
      murmur2: hashKey(`${source}:${subject.id}`) >>> 0,
      mode: 'suppress',
      requested_at: new Date().toISOString(),
      request: '0190e6f1-0000-7000-8000-000000000001',
    };
    registry.apply(`${source}:${kind}:${hash}`, Buffer.from(JSON.stringify(value)));
  }
  return registry;
}

function figure(measure: string, work: (n: number) => unknown): BenchFigure {
  const times: number[] = [];
  let sink = 0;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    for (let n = 0; n < calls; n++) if (work(n) === true) sink += 1;
    const { user, system } = process.cpuUsage(before);
    times.push(((user + system) / calls) * 1_000);
  }
  if (sink > calls) throw new Error('more hits than calls');
  return { group, measure, unit: 'CPU ns', sluice: median(times) };
}

function heapMiB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 ** 2;
}
