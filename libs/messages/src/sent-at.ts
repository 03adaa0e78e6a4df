import { isObject } from '@sluice/contracts';

/** Name under which a context has the time of sending. */
export const sentAtName = 'sent_at';

/** Adds the time of sending to the context of a message, unless the context has a member of that name or below it. */
export function addSentAt<T extends object>(message: T, sentAt: string): T {
  const { context } = message as { context?: unknown };
  if (context !== undefined && context !== null && !isObject(context)) return message;
  for (const name in context) if (name === sentAtName || name.startsWith(`${sentAtName}.`)) return message;
  return Object.assign({}, message, { context: { ...context, [sentAtName]: sentAt } });
}
