import { type Operation } from '@sluice/console-api';
import { buildAddress, type CallInput } from './call';
import { type Span, spanKey } from './range';

/**
 * Key of what was read: the operation, its path, its query and its span. The clock is not part of it: a key that moved with
 * the time would make each question a new one, without an answer to show.
 */
export const buildQueryKey = <Op extends Operation>(
  operation: Op,
  { path = {}, query }: CallInput<Op> = {},
  span?: Span,
): readonly [operation: string, path: string, query: string, span: string] => {
  const address = buildAddress(operation.slice(operation.indexOf(' ') + 1), path, undefined);
  return [operation, address, buildAddress('', {}, query as object | undefined), span ? spanKey(span) : ''];
};
