import { type Operation } from '@sluice/console-api';
import { addressOf, type Input } from './call';
import { type Span, spanKey } from './range';

/**
 * Key of what was read: the operation, its path, its query and its span. The clock is not part of it: a key that moved with
 * the time would make each question a new one, without an answer to show.
 */
export const keyOf = <Op extends Operation>(
  operation: Op,
  { path = {}, query }: Input<Op> = {},
  span?: Span,
): readonly [operation: string, path: string, query: string, span: string] => {
  const address = addressOf(operation.slice(operation.indexOf(' ') + 1), path, undefined);
  return [operation, address, addressOf('', {}, query as object | undefined), span ? spanKey(span) : ''];
};
