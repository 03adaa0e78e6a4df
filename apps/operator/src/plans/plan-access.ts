import { Injectable } from '@nestjs/common';
import { kafkaVariables } from '@sluice/kafka';
import { withKafka } from '@sluice/operations';
import { ensurePlansTopic, PlanReader, type PlanRegistry, PlanWriter } from '@sluice/plans';
import { ensureSourcesTopic, SourceError, SourceReader, type SourceRegistry } from '@sluice/sources';
import { Connection } from '../connection/connection.js';
import { ShellActions, type ShellAction } from '../connection/shell-actions.js';

const limitMs = 20_000;
/** Longer, because a change is recorded as well. */
const changeLimitMs = 60_000;

/** The plans, and the sources that they are for. */
export interface PlanRegistries {
  readonly plans: PlanRegistry;
  readonly sources: SourceRegistry;
}

/** Opens the plans for one command. */
@Injectable()
export class PlanAccess {
  constructor(
    private readonly connection: Connection,
    private readonly actions: ShellActions,
  ) {}

  /** Gives `work` the plans, to read. */
  use<T>(work: (registries: PlanRegistries) => Promise<T> | T): Promise<T> {
    return this.open(limitMs, (_writer, registries) => work(registries));
  }

  /** Records the action, then gives `work` the plans and a writer that changes them. */
  change<T>(action: ShellAction, work: (writer: PlanWriter, registries: PlanRegistries) => Promise<T>): Promise<T> {
    return this.open(changeLimitMs, (writer, registries) =>
      this.actions.record(action, () => work(writer, registries)),
    );
  }

  private open<T>(
    openLimitMs: number,
    work: (writer: PlanWriter, registries: PlanRegistries) => Promise<T> | T,
  ): Promise<T> {
    const config = this.connection.read(kafkaVariables);
    return withKafka(config, openLimitMs, async (kafka) => {
      await Promise.all([ensureSourcesTopic(kafka, config), ensurePlansTopic(kafka, config)]);
      const [plans, sources] = [new PlanReader(kafka), new SourceReader(kafka)];
      try {
        await Promise.all([plans.start(), sources.start()]);
        const registries = { plans: plans.registry, sources: sources.registry };
        return await work(new PlanWriter(kafka, plans.registry), registries);
      } finally {
        await Promise.all([plans.stop(), sources.stop()]);
      }
    });
  }
}

/** @throws SourceError when there is no such source. */
export function assertSource(sources: SourceRegistry, source: string): void {
  if (!sources.find(source)) throw new SourceError(`There is no source ${source}.`);
}
