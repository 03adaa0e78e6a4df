import { isObject } from '@sluice/contracts';
import { OperationError } from '@sluice/operations';
import { type GatewayAnswer, GatewayPost, describeAnswer } from '../connection/gateway-post.js';
import { type RecordOutcome, type RecordProblem } from '../files/import-report.js';
import { entities, type EntityType } from './entity-type.js';
import { type CatalogRecord } from './read-records.js';

export interface SyncTarget {
  gatewayUrl: string;
  sourceIdentifier: string;
  apiKey: string;
  type: EntityType;
  /** Time for which a request is retried while the gateway does not take it. */
  timeoutMs: number;
}

/** Deletions that the Sync API takes at a time. */
const maxDeletions = 100;

const itemPath = /^list\[(\d+)\]\.?/;

/** Client of the Sync API for one source and type. */
export class SyncApi {
  private readonly single: GatewayPost;
  private readonly batch: GatewayPost;
  private readonly deletions: GatewayPost;
  private readonly idField: string;
  /** False once the gateway has shown that it is older than the routes of batches. */
  private hasBatches = true;

  constructor({ gatewayUrl, sourceIdentifier, type, apiKey, timeoutMs }: SyncTarget) {
    const path = `api/tracker/catalog/${encodeURIComponent(sourceIdentifier)}/${type}`;
    const { href } = new URL(path, gatewayUrl.replace(/\/*$/, '/'));
    const headers = { authorization: `Bearer ${apiKey}` };
    this.single = new GatewayPost(href, headers, timeoutMs);
    this.deletions = new GatewayPost(`${href}Delete`, headers, timeoutMs);
    this.idField = entities[type].idField;
    this.batch = new GatewayPost(`${href}Batch`, { ...headers, prefer: 'handling=lenient' }, timeoutMs);
  }

  /**
   * Sends records in their order until each is taken or refused.
   * @returns the outcome of each record
   * @throws OperationError when the source or key is refused, or the gateway does not take a request for too long.
   */
  async send(records: readonly CatalogRecord[]): Promise<RecordOutcome[]> {
    const outcomes: RecordOutcome[] = [];
    let together: CatalogRecord[] = [];
    const sendGathered = async (): Promise<void> => {
      outcomes.push(...(await this.sendTogether(together)));
      together = [];
    };
    for (const record of records) {
      if (!record.problems && !record.isNotJson) {
        together.push(record);
        continue;
      }
      await sendGathered();
      outcomes.push(record.problems ? { stored: false, problems: record.problems } : await this.sendAlone(record));
    }
    await sendGathered();
    return outcomes;
  }

  /**
   * Deletes entities.
   * @throws OperationError when the gateway refuses, or does not take a request for too long.
   */
  async delete(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += maxDeletions) {
      const list = ids.slice(from, from + maxDeletions).map((id) => ({ [this.idField]: id }));
      const answer = await this.deletions.send(JSON.stringify({ list }));
      if (isUnknownRoute(answer)) throw new OperationError('the gateway is of a version that cannot delete entities');
      if (answer.status !== 200)
        throw new OperationError(`${ids.length - from} entities were not deleted: ${describeAnswer(answer)}`);
    }
  }

  /** Sends records as one batch; in halves if the answer does not say what became of each. */
  private async sendTogether(records: readonly CatalogRecord[]): Promise<RecordOutcome[]> {
    if (records.length === 0) return [];
    const [first] = records;
    if (records.length === 1 && first) return [await this.sendAlone(first)];
    if (this.hasBatches) {
      const answer = await this.batch.send(`{"list":[${records.map(({ json }) => json).join(',')}]}`);
      if (isUnknownRoute(answer)) this.hasBatches = false;
      else assertAdmitted(answer);
      const outcomes = readOutcomes(answer, records.length);
      if (outcomes) return outcomes;
    }
    const half = Math.ceil(records.length / 2);
    return [...(await this.sendTogether(records.slice(0, half))), ...(await this.sendTogether(records.slice(half)))];
  }

  private async sendAlone({ json }: CatalogRecord): Promise<RecordOutcome> {
    const answer = await this.single.send(json);
    const { status, body } = answer;
    if (status === 200) return { stored: true, problems: readProblems(isObject(body) ? body['dropped'] : undefined) };
    assertAdmitted(answer);
    const problems = readProblems(body);
    const reason = describeAnswer(answer);
    return { stored: false, problems: problems.length > 0 ? problems : [{ field: '', message: reason }] };
  }
}

/** @throws OperationError when the answer concerns the whole import, not only its records. */
function assertAdmitted(answer: GatewayAnswer): void {
  if (answer.status === 401 || answer.status === 404)
    throw new OperationError(`the gateway refuses source or key: ${describeAnswer(answer)}`);
}

/** Whether the gateway does not know the path, which it says before it looks at source and key. */
const isUnknownRoute = ({ status, body }: GatewayAnswer): boolean =>
  status === 404 && readProblems(body).some(({ message }) => message === 'error.request.notFound');

/** The outcome of each record of a batch; undefined when the answer does not say what became of each. */
function readOutcomes({ status, body }: GatewayAnswer, count: number): RecordOutcome[] | undefined {
  const outcomes = Array.from({ length: count }, (): RecordOutcome => ({ stored: true, problems: [] }));
  const lists = status === 200 && isObject(body) ? body : { rejected: body };
  if (status !== 200 && status !== 400) return undefined;
  for (const [name, isStored] of [
    ['rejected', false],
    ['dropped', true],
  ] as const) {
    for (const { field, message } of readProblems(lists[name])) {
      const outcome = outcomes[Number(itemPath.exec(field)?.[1] ?? NaN)];
      // An answer has so many entries at most, and then one that counts the rest.
      if (!outcome) return undefined;
      outcome.stored &&= isStored;
      outcome.problems.push({ field: field.replace(itemPath, ''), message });
    }
  }
  const isAboutAll = status === 200 || outcomes.every(({ stored }) => !stored);
  return isAboutAll ? outcomes : undefined;
}

const isProblem = (value: unknown): value is RecordProblem =>
  isObject(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string';

const readProblems = (value: unknown): RecordProblem[] => (Array.isArray(value) ? value.filter(isProblem) : []);
