import { isOpen, OperationError, reapplyErasures, toErasureReport, runErasures } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { ShellActions } from '../connection/shell-actions.js';
import { Output, say } from '../output.js';
import { parseSeconds } from '../period.js';
import { assertGateways, ErasureAccess } from './erasure-access.js';
import { describeErasures } from './erasure-text.js';
import { ProcessCommand, type ProcessOptions } from './person-options.js';

interface RunOptions extends ProcessOptions {
  forAtMost?: number;
  check?: boolean;
  since?: number;
  yes?: boolean;
}

const fallbackSeconds = 4 * 60 * 60;

/** A command that continues erasures. */
abstract class ContinuingCommand extends ProcessCommand {
  @Option({ flags: '--for-at-most <seconds>', description: `End after this time; default ${fallbackSeconds}` })
  forAtMost(text: string): number {
    return parseSeconds('--for-at-most', text);
  }
}

@SubCommand({
  name: 'status',
  arguments: '[request]',
  description: 'Show erasures: their state, rows, and what they wait for',
})
export class ErasureStatusCommand extends ProcessCommand {
  constructor(
    private readonly access: ErasureAccess,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--check', description: 'Exit with 1 when an erasure is not verified within 7 days' })
  check(): boolean {
    return true;
  }

  async run([request]: string[], { check = false, ...options }: RunOptions): Promise<void> {
    const erasures = await this.access.use(options, ({ store }) => Promise.resolve(store.list()));
    const shownErasures = erasures.filter((erasure) => request === undefined || erasure.request === request);
    if (request !== undefined && shownErasures.length === 0)
      throw new OperationError(`There is no erasure ${request}.`);
    this.output.print(shownErasures.map(toErasureReport), options, describeErasures);
    const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString();
    const lateErasures = shownErasures.filter((erasure) => isOpen(erasure) && erasure.requestedAt < weekAgo);
    if (check && lateErasures.length > 0)
      throw new OperationError(`${lateErasures.length} erasures are not verified after 7 days`);
  }
}

@SubCommand({
  name: 'run',
  description: 'Carry all erasures on, with one deletion per table for all of them; safe to repeat and to interrupt',
})
export class RunErasuresCommand extends ContinuingCommand {
  constructor(
    private readonly access: ErasureAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], { forAtMost = fallbackSeconds, ...options }: RunOptions): Promise<void> {
    const erasures = await this.access.use(options, async (resources) => {
      if (resources.store.list().some(isOpen)) assertGateways(resources);
      return runErasures(resources, { maxMs: forAtMost * 1_000, say });
    });
    this.output.print(erasures.map(toErasureReport), options, describeErasures);
    const open = erasures.filter(isOpen);
    if (open.length > 0) throw new OperationError(`${open.length} erasures are not verified yet: run it again`);
  }
}

@SubCommand({
  name: 'reapply',
  description: 'After a restore of ClickHouse: do all erasures again that were verified since the backup',
})
export class ReapplyErasuresCommand extends ContinuingCommand {
  constructor(
    private readonly access: ErasureAccess,
    private readonly actions: ShellActions,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({
    flags: '--since <time>',
    description: 'When the backup was made, such as 2026-03-01T02:00:00Z; all by default',
  })
  since(text: string): number {
    const time = Date.parse(text);
    if (Number.isNaN(time)) throw new OperationError('--since must be a time such as 2026-03-01T02:00:00Z');
    return time;
  }

  async run(_: string[], { since = 0, forAtMost = fallbackSeconds, ...options }: RunOptions): Promise<void> {
    const { erasures, closed } = await this.access.use(options, async (resources) => {
      assertGateways(resources);
      const action = {
        operation: 'privacy.reapply',
        object: 'erasures',
        details: { since: new Date(since).toISOString() },
      };
      const reapplied = await this.actions.record(action, () => reapplyErasures(resources.store, since));
      const finished = await runErasures(resources, { maxMs: forAtMost * 1_000, say });
      return { erasures: finished, closed: reapplied.closed };
    });
    this.output.print({ erasures: erasures.map(toErasureReport), closed }, options, (report) =>
      describeErasures(report.erasures),
    );
    if (closed.length > 0) {
      throw new OperationError(
        `${closed.length} erasures were closed since, whose ids are gone: this backup is older than PRIVACY_BACKUP_DAYS and must not be used`,
      );
    }
    const open = erasures.filter(isOpen);
    if (open.length > 0)
      throw new OperationError(`${open.length} erasures are not verified yet: run operator privacy run`);
  }
}
