import { isObject } from '@sluice/contracts';
import { OperationError } from '@sluice/operations';
import { type GatewayAnswer, GatewayPost, describeAnswer } from '../connection/gateway-post.js';
import { type RecordOutcome, type RecordProblem } from '../files/import-report.js';
import { type ExportedRecord } from './read-exported-records.js';

export interface SegmentTarget {
  gatewayUrl: string;
  /** `<sourceIdentifier>_<apiKey>` */
  writeKey: string;
  /** Checks everything and stores nothing. */
  dryRun: boolean;
  /** Time for which a batch is retried while the gateway does not take it. */
  timeoutMs: number;
}

const itemPath = /^batch\[(\d+)\]\.?/;

/** Client of the gateway's endpoint for batches of Segment: docs/segment.md. */
export class SegmentApi {
  private readonly gateway: GatewayPost;

  constructor({ gatewayUrl, writeKey, dryRun, timeoutMs }: SegmentTarget) {
    const path = `s/${encodeURIComponent(writeKey)}/v1/import${dryRun ? '?validate=only' : ''}`;
    this.gateway = new GatewayPost(new URL(path, gatewayUrl.replace(/\/*$/, '/')).href, {}, timeoutMs);
  }

  /**
   * Sends the items of some records until they are taken or refused.
   * @param triesBefore tries of the same records by an earlier process
   * @returns the outcome of each record
   * @throws OperationError when the key is refused, or the gateway does not take the batch for too long.
   */
  async send(records: readonly ExportedRecord[], triesBefore: number): Promise<RecordOutcome[]> {
    const outcomes = records.map(({ problems }): RecordOutcome => ({
      stored: problems.length === 0,
      problems: [...problems],
    }));
    const owners = records.flatMap(({ items }, index) => items.map(() => index));
    if (owners.length === 0) return outcomes;
    const batch = records.flatMap(({ items }) => items);
    const answer = await this.gateway.send(JSON.stringify({ batch }), triesBefore);
    for (const { field, message, isRefused } of readEntries(answer)) {
      const outcome = outcomes[owners[Number(itemPath.exec(field)?.[1])] ?? -1];
      if (isRefused && outcome) outcome.stored = false;
      outcome?.problems.push({ field: field.replace(itemPath, ''), message });
    }
    return outcomes;
  }
}

/** Problems of the items, as the gateway lists them. @throws OperationError when it refuses the batch as a whole. */
function readEntries(answer: GatewayAnswer): (RecordProblem & { isRefused: boolean })[] {
  const { status, body } = answer;
  if (status !== 200 || !isObject(body))
    throw new OperationError(`the gateway refuses the batch: ${describeAnswer(answer)}`);
  const listProblems = (name: string, isRefused: boolean) =>
    [body[name] ?? []].flat().flatMap((entry) => (isProblem(entry) ? [{ ...entry, isRefused }] : []));
  return [...listProblems('rejected', true), ...listProblems('dropped', false)];
}

const isProblem = (value: unknown): value is RecordProblem =>
  isObject(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string';
