import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const page = readFileSync(fileURLToPath(new URL('../../../../docs/rights.md', import.meta.url)), 'utf8');

/** Numbers of Kafka's protocol. */
const resources = { topic: 2, group: 3 } as const;
const patterns = { literal: 3, prefixed: 4 } as const;
const operations: Readonly<Record<string, number>> = {
  READ: 3,
  WRITE: 4,
  CREATE: 5,
  DELETE: 6,
  ALTER: 7,
  DESCRIBE: 8,
  DESCRIBE_CONFIGS: 10,
  ALTER_CONFIGS: 11,
};
const allow = 3;

/** A right in Kafka, as its protocol has it. */
export interface Acl {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly resourcePatternType: number;
  readonly principal: string;
  readonly host: string;
  readonly operation: number;
  readonly permissionType: number;
}

/** Apps with a user in Kafka. */
export const kafkaUsers = [...readSection('Kafka').matchAll(/^### (.+)$/gm)].map(([, app = '']) => app);

/** All rows of the tables of Kafka's part of docs/rights.md. */
export function acls(): Acl[] {
  return kafkaUsers.flatMap((app) =>
    [...readSection(app, readSection('Kafka')).matchAll(/^\| (topic|group) +\| (.+?) +\| (.+?) +\|$/gm)].flatMap(
      ([, resource, names = '', verbs = '']) =>
        findNames(names).flatMap((name) =>
          verbs.split(', ').map((verb) => makeAcl(app, resource === 'topic' ? 'topic' : 'group', name, verb)),
        ),
    ),
  );
}

function makeAcl(app: string, resource: keyof typeof resources, name: string, verb: string): Acl {
  const operation = operations[verb];
  if (operation === undefined) throw new Error(`docs/rights.md names an unknown operation: ${verb}`);
  const isPrefix = name.endsWith('*');
  return {
    resourceType: resources[resource],
    resourceName: isPrefix ? name.slice(0, -1) : name,
    resourcePatternType: isPrefix ? patterns.prefixed : patterns.literal,
    principal: `User:${app}`,
    host: '*',
    operation,
    permissionType: allow,
  };
}

/** Additional rights in Kafka if ClickHouse has several shards. */
export function shardAcls(): Acl[] {
  const rows = readSection('On several shards').matchAll(/^\| (`.+?) +\| `(.+?)` +\| (.+?) +\|$/gm);
  return [...rows].flatMap(([, apps = '', topic = '', verbs = '']) =>
    findNames(apps).flatMap((app) => verbs.split(', ').map((verb) => makeAcl(app, 'topic', topic, verb))),
  );
}

/** Grants of each user of ClickHouse, without `TO`; with `shards`, also those for several shards. */
export function readGrants({ shards = false } = {}): Map<string, string[]> {
  const blocks = readSection('ClickHouse').matchAll(/^```sql\n([^`]+)```$/gm);
  const further = readSection('On several shards').matchAll(/^```text\n([^`]+)```$/gm);
  const grantBlocks = [...blocks, ...(shards ? further : [])].flatMap(([, sql = '']) =>
    [...sql.matchAll(/^(GRANT .+) TO ([\w, ]+);$/gm)].flatMap(([, grant = '', users = '']) =>
      users.split(', ').map((user) => ({ grant, user })),
    ),
  );
  const byUser = Map.groupBy(grantBlocks, ({ user }) => user);
  return new Map([...byUser].map(([user, rows]) => [user, rows.map(({ grant }) => grant)]));
}

const findNames = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** The text below a heading, up to the next heading of its level or above. */
function readSection(heading: string, text = page): string {
  const match = new RegExp(`^(#+) ${heading}$`, 'm').exec(text);
  if (!match) throw new Error(`docs/rights.md has no heading ${heading}`);
  const [line, marks = ''] = match;
  const rest = text.slice(match.index + line.length);
  const end = rest.search(new RegExp(`^#{1,${marks.length}} `, 'm'));
  return end < 0 ? rest : rest.slice(0, end);
}
