import { type FoundRequest, OperationError, parseRequestId } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { parsePeriod } from '../period.js';
import { describeRequest, describeSearch } from './event-text.js';
import { Events } from './events.js';

interface FindOptions extends OutputOptions {
  window?: number;
}

@SubCommand({
  name: 'find',
  arguments: '<request-id>',
  description:
    'Find the place of each event of a request: waiting in Kafka, stored, or a dead letter; the id is its X-Request-Id',
})
export class FindEventsCommand extends PrintingCommand {
  constructor(
    private readonly events: Events,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({
    flags: '--window <time>',
    description:
      'Time after the request for which Kafka is searched: 90s, 10m, 6h, 7d; 10m by default. Use more if the message may have waited on the disk of a gateway. Tables and dead letters are searched with any window',
  })
  window(text: string): number {
    return parsePeriod('--window', text);
  }

  async run([text]: [string], options: FindOptions): Promise<void> {
    const request = parseRequestId(text);
    const foundRequest = await this.events.find(request, options.window);
    if (foundRequest.events.length > 0 || options.json === true)
      this.output.print(foundRequest, options, describeRequest);
    // The exit code shows scripts that the result may be incomplete.
    if (foundRequest.problems.length > 0) throw new OperationError(foundRequest.problems.join('\n'));
    if (foundRequest.events.length === 0) throw makeNotFoundError(foundRequest);
  }
}

function makeNotFoundError(request: FoundRequest): OperationError {
  const hint =
    'A message that waited on the disk of a gateway arrives in Kafka later: try --window 1d. A refused or only validated request has no events.';
  return new OperationError(`no event of request ${request.requestId} was found.\n${describeSearch(request)}\n${hint}`);
}
