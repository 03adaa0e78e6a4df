import { Injectable } from '@nestjs/common';
import { type Source } from '@sluice/sources';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { describeSource } from './source-text.js';
import { viewSource } from './source-view.js';
import { Sources } from './sources.js';

/** A command that gives a source a status, and says what comes of it. */
@Injectable()
export abstract class SetStatusCommand extends PrintingCommand {
  protected abstract readonly status: Source['status'];
  protected abstract readonly effect: string;

  constructor(
    private readonly sources: Sources,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], options: OutputOptions): Promise<void> {
    const source = await this.sources.use(async (writer, registry) =>
      viewSource(await writer.setStatus(sourceIdentifier, this.status), registry),
    );
    this.output.print(source, options, (view) => `${this.effect}\n\n${describeSource(view)}`);
  }
}
