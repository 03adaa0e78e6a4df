import { Injectable } from '@nestjs/common';
import { kafkaVariables } from '@sluice/kafka';
import { type SourceRegistry, SourceWriter } from '@sluice/sources';
import { withKafka, withSources } from '@sluice/operations';
import { Connection } from '../connection/connection.js';
import { type ShellAction, ShellActions } from '../connection/shell-actions.js';

const limitMs = 8_000;
/** Longer, because a change is recorded as well. */
const changeLimitMs = 40_000;

type Work<W, T> = (writer: W, registry: SourceRegistry) => Promise<T> | T;

/** Opens the registry of sources for one command. */
@Injectable()
export class RegistryAccess {
  constructor(
    private readonly connection: Connection,
    private readonly actions: ShellActions,
  ) {}

  /** Gives `work` the complete registry, to read. */
  use<T>(work: Work<Pick<SourceWriter, 'get'>, T>): Promise<T> {
    return this.open(limitMs, work);
  }

  /** Records the action, then gives `work` the complete registry and a writer that changes it. */
  change<T>(action: ShellAction, work: Work<SourceWriter, T>): Promise<T> {
    return this.open(changeLimitMs, (writer, registry) =>
      this.actions.record(action, async () => work(writer, registry)),
    );
  }

  private open<T>(openLimitMs: number, work: Work<SourceWriter, T>): Promise<T> {
    const config = this.connection.read(kafkaVariables);
    return withKafka(config, openLimitMs, (kafka) =>
      withSources(kafka, config, (registry) => work(new SourceWriter(kafka, registry), registry)),
    );
  }
}
