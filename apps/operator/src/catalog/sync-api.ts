import { isObject } from '@sluice/contracts';
import { OperationError } from '@sluice/operations';
import { GatewayPost, reasonOfAnswer } from '../connection/gateway-post.js';
import { type Outcome, type Problem } from '../files/import-report.js';
import { type EntityType } from './entity-type.js';

export interface SyncTarget {
  gatewayUrl: string;
  sourceIdentifier: string;
  apiKey: string;
  type: EntityType;
  /** Time for which a record is retried while the gateway does not take it. */
  timeoutMs: number;
}

/** Client of the Sync API for one source and type. */
export class SyncApi {
  private readonly gateway: GatewayPost;

  constructor({ gatewayUrl, sourceIdentifier, type, apiKey, timeoutMs }: SyncTarget) {
    const path = `api/tracker/catalog/${encodeURIComponent(sourceIdentifier)}/${type}`;
    const { href } = new URL(path, gatewayUrl.replace(/\/*$/, '/'));
    this.gateway = new GatewayPost(href, { authorization: `Bearer ${apiKey}` }, timeoutMs);
  }

  /**
   * Sends a record until it is taken or refused.
   * @throws OperationError when the source or key is refused, or the gateway does not take the record for too long.
   */
  async send(json: string): Promise<Outcome> {
    const answer = await this.gateway.send(json);
    const { status, body } = answer;
    if (status === 200) return { stored: true, problems: problemsOf(isObject(body) ? body['dropped'] : undefined) };
    const problems = problemsOf(body);
    const reason = reasonOfAnswer(answer);
    // This concerns the whole import, not only this record.
    if (status === 401 || status === 404) throw new OperationError(`the gateway refuses source or key: ${reason}`);
    return { stored: false, problems: problems.length > 0 ? problems : [{ field: '', message: reason }] };
  }
}

const isProblem = (value: unknown): value is Problem => isObject(value) && typeof value['message'] === 'string';

const problemsOf = (value: unknown): Problem[] => (Array.isArray(value) ? value.filter(isProblem) : []);
