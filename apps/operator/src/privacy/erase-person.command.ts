import {
  type ErasurePreview,
  type ErasureReport,
  type ErasureResources,
  isOpen,
  OperationError,
  type PersonId,
  previewErasure,
  toErasureReport,
  requestErasure,
  runErasures,
} from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { ShellActions, userName } from '../connection/shell-actions.js';
import { Output, say } from '../output.js';
import { assertGateways, ErasureAccess } from './erasure-access.js';
import { describeErasures } from './erasure-text.js';
import { maxNamed } from './people-options.js';
import { PersonCommand, type PersonOptions, requirePersons } from './person-options.js';

interface EraseOptions extends PersonOptions {
  keepSuppressed?: boolean;
  now?: boolean;
  yes?: boolean;
}

interface Erased {
  preview: ErasurePreview & { gateways: number };
  /** Empty when nothing was done. */
  erasures: ErasureReport[];
}

@SubCommand({
  name: 'erase',
  description: 'Delete all rows of a person and drop what comes of them until then; says what, and does it with --yes',
})
export class ErasePersonCommand extends PersonCommand {
  constructor(
    private readonly access: ErasureAccess,
    private readonly actions: ShellActions,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--keep-suppressed', description: 'Drop messages of them for ever, not only until they are erased' })
  keepSuppressed(): boolean {
    return true;
  }

  @Option({ flags: '--now', description: 'Delete at once; privacy run does it otherwise, for all requests together' })
  now(): boolean {
    return true;
  }

  @Option({ flags: '--yes', description: 'Do it' })
  yes(): boolean {
    return true;
  }

  async run(_: string[], options: EraseOptions): Promise<void> {
    const { yes = false, now = false, reverse = false } = options;
    const persons = requirePersons(options, await this.access.sources());
    const erased = await this.access.use(options, async (resources): Promise<Erased> => {
      assertGateways(resources);
      const gateways = resources.gateways.length;
      const preview = { ...(await previewErasure(resources, persons.flat(), reverse)), gateways };
      if (!yes) return { preview, erasures: [] };
      const requests = await this.requestErasures(resources, { persons, preview, options });
      if (now) await runErasures(resources, { requests, say });
      return {
        preview,
        erasures: requests.flatMap((request) => resources.store.find(request) ?? []).map(toErasureReport),
      };
    });
    this.output.print(erased, options, describeErased);
    if (!yes) throw new OperationError('nothing was changed; repeat it with --yes');
    const open = erased.erasures.filter(isOpen);
    if (now && open.length > 0) throw new OperationError(`${open.length} erasures are not verified yet: privacy run`);
  }

  /** Records who asks, then stores the requests. */
  private requestErasures(
    resources: ErasureResources,
    { persons, preview, options }: { persons: PersonId[][]; preview: ErasurePreview; options: EraseOptions },
  ): Promise<string[]> {
    const { reverse = false, keepSuppressed = false, by = '' } = options;
    const ids = preview.asked.slice(0, maxNamed);
    const details = { by, count: persons.length, ids, reverse, keepSuppressed };
    const action = { operation: 'privacy.erase', object: options.source ?? 'all sources', details };
    return this.actions.record(action, async () => {
      const requests: string[] = [];
      for (const person of persons) {
        const name = by === '' ? userName() : by;
        const request = { ids: person, by: name, isReverse: reverse, keepsSuppressed: keepSuppressed };
        requests.push((await requestErasure(resources, request)).request);
      }
      return requests;
    });
  }
}

function describeErased({ preview, erasures }: Erased): string {
  if (erasures.length > 0) return describeErasures(erasures);
  const { ids, rows, rowsOfOthers, othersDevices, hasAdRequestPaths, sources, gateways } = preview;
  const counts = Object.entries(rows).map(([table, count]) => `  ${table.padEnd(20)} ${count}`);
  const numbers = Object.entries(ids).map(([kind, count]) => `${count} ${kind}`);
  return [
    `- ${gateways} gateways and all consumers drop messages of these people: ${numbers.join(', ')} ids in ${sources.join(', ')}.`,
    ...(othersDevices > 0
      ? [`- ${othersDevices} of their devices belong to others, and stay: --reverse takes them too.`]
      : []),
    ...(rowsOfOthers > 0
      ? [`- ${rowsOfOthers} of the events are of others, in a group with this id. Are ids of groups ids of users here?`]
      : []),
    ...(hasAdRequestPaths ? [] : ['- Ad requests are not searched: PRIVACY_AD_REQUEST_PATHS names no path.']),
    '- These rows are deleted, and whatever is still on its way. There is no way back but a backup.',
    ...(counts.length > 0 ? counts : ['  none yet']),
  ].join('\n');
}
