import { type IncomingMessage } from 'node:http';
import { makeValidator } from '@sluice/service';

/** Real paths, by the aliases that the operator gives them. */
export type PathAliases = ReadonlyMap<string, string>;

const eventsPath = '/api/tracker/sdk';
const filesPath = /^\/sdk(?:\/[A-Za-z0-9._-]+)*$/;
const alias = /^(?:\/[A-Za-z0-9._~-]+)+$/;
/** First segments of the gateway's own paths. */
const reservedSegments: ReadonlySet<string> = new Set([
  ...['api', 'sdk', 'health', 'docs', 'openapi.json', 'metrics'],
  // Paths of Segment's clients.
  ...['s', 'v1', 'projects', 'sourceConfig'],
]);

/** Reads `/a=/api/tracker/sdk,/f=/sdk`. @throws TypeError that names every bad alias. */
export const pathAliases = makeValidator<PathAliases>((input) => {
  const aliases = new Map<string, string>();
  const problems: string[] = [];
  for (const entry of input.split(',')) {
    const [name = '', target = ''] = entry.trim().split('=', 2);
    const problem = findProblem(name, target, [...aliases.keys()]);
    if (problem === undefined) aliases.set(name, target);
    else problems.push(`"${entry.trim()}" ${problem}`);
  }
  if (problems.length > 0) throw new TypeError(problems.join('; '));
  return aliases;
});

function findProblem(name: string, target: string, earlierNames: readonly string[]): string | undefined {
  if (!alias.test(name) || name.split('/').some((segment) => /^\.+$/.test(segment)))
    return 'must be a path such as /a, "=", and the path that it stands for';
  if (target !== eventsPath && (!filesPath.test(target) || target.includes('/..')))
    return `must stand for ${eventsPath} or for /sdk`;
  if (reservedSegments.has(name.split('/', 2)[1] ?? '')) return 'begins like a path of the gateway';
  const overlapping = earlierNames.find(
    (earlierName) =>
      earlierName === name || `${earlierName}/`.startsWith(`${name}/`) || `${name}/`.startsWith(`${earlierName}/`),
  );
  return overlapping === undefined ? undefined : `overlaps with ${overlapping}`;
}

/** Short names of the endpoints under an alias for events, so that no part of the path reveals its purpose. */
const shortNames: Readonly<Record<string, string>> = {
  t: 'track',
  i: 'identify',
  tb: 'trackBatch',
  ib: 'identifyBatch',
};
const shortEndpoint = /^(\/[^/?]*\/)(tb?|ib?)(?=$|\?)/;

/** Rewrites the path of a request before it is routed, so that all other code sees the real one. */
export function resolveAliases(aliases: PathAliases): (request: Pick<IncomingMessage, 'url'>) => string {
  const entries = [...aliases];
  return ({ url = '/' }) => {
    for (const [name, target] of entries) {
      if (!url.startsWith(name)) continue;
      const suffix = url.slice(name.length);
      if (suffix !== '' && !suffix.startsWith('/') && !suffix.startsWith('?')) continue;
      if (target !== eventsPath) return target + suffix;
      return (
        target + suffix.replace(shortEndpoint, (_, source: string, short: string) => source + (shortNames[short] ?? ''))
      );
    }
    return url;
  };
}
