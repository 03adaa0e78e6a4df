import { type Problem, type RefusedRequest } from '@sluice/console-api';

/** The sample in a message of `gateway.refused.v1`; none for a count. */
export function readRefused(value: Buffer): Omit<RefusedRequest, 'sourceName'>[] {
  try {
    const row = JSON.parse(value.toString()) as Record<string, string> & { kind: RefusedRequest['kind'] | 'count' };
    if (row.kind === 'count') return [];
    const text = (name: string): string => row[name] ?? '';
    return [
      {
        requestId: text('request_id'),
        at: text('received_at'),
        sourceIdentifier: text('source_id'),
        ...(text('claimed_source') !== '' && { claimedSource: text('claimed_source') }),
        ...(text('origin') !== '' && { origin: text('origin') }),
        method: text('method'),
        route: text('route'),
        status: Number(row['status']),
        reason: text('reason'),
        kind: row.kind,
        problems: JSON.parse(text('problems') || '[]') as Problem[],
        userAgent: text('user_agent'),
        hasBody: text('body') !== '',
      },
    ];
  } catch {
    return [];
  }
}
