import {
  type CompactedRecord,
  CompactedTopicWriter,
  ensureCompactedTopic,
  type Kafka,
  type KafkaConfig,
  writeCompacted,
} from '@sluice/kafka';
import { createApiKey, createKeyId, createSourceIdentifier, hashApiKey } from './api-key.js';
import { type ImportPlan } from './import-plan.js';
import { keyRecord, sourceRecord, watchRecord, sourcesTopic } from './records.js';
import { type SourceRegistry } from './registry.js';
import { type Source, type SourceKey, type SourceLimits } from './source.js';

/** The registry does not allow the change; the message says why, to a person. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}

/** A key together with its secret, which is shown once and stored nowhere. */
export interface IssuedKey {
  key: SourceKey;
  apiKey: string;
}

/** New values of limits; `undefined` removes a limit. */
export type LimitChanges = { readonly [L in keyof SourceLimits]?: SourceLimits[L] | undefined };

/** New rules of privacy; `undefined` removes them. */
export type PrivacyChanges = { readonly [R in 'pii' | 'piiKeyId' | 'requireConsent']?: Source[R] | undefined };

const keysAtOnce = 2;
/** Records of one send, which together must stay below what the topic takes. */
const recordsAtOnce = 500;

/** Creates the topic of the registry if it does not exist. */
export const ensureSourcesTopic = (kafka: Kafka, config: KafkaConfig): Promise<string[]> =>
  ensureCompactedTopic(kafka, config, sourcesTopic);

/** Changes the registry. It is given the current registry to check against. */
export class SourceWriter {
  constructor(
    private readonly kafka: Kafka,
    private readonly registry: SourceRegistry,
  ) {}

  async create({
    name,
    type,
    origins,
    segment,
  }: Pick<Source, 'name' | 'type' | 'origins' | 'segment'>): Promise<{ source: Source } & IssuedKey> {
    const sourceIdentifier = createSourceIdentifier();
    const createdAt = new Date().toISOString();
    const settings = { ...(origins && { origins }), ...(segment && { segment }) };
    const source: Source = { sourceIdentifier, name, type, status: 'enabled', createdAt, ...settings };
    if (segment) this.assertTakesEvents(source);
    // The key is written first, so that no reader sees a source without a valid key.
    const issuedKey = await this.issueKey(sourceIdentifier);
    await this.write(sourceRecord(source));
    return { source, ...issuedKey };
  }

  /** Issues a second key; the old one stays valid until it is revoked. @throws SourceError when two are valid. */
  async rotateKey(sourceIdentifier: string): Promise<IssuedKey> {
    this.get(sourceIdentifier);
    const validKeys = this.registry.listKeys(sourceIdentifier).filter(({ revokedAt }) => revokedAt === undefined);
    if (validKeys.length >= keysAtOnce) {
      const ids = validKeys.map(({ keyId }) => keyId).join(', ');
      throw new SourceError(
        `Source ${sourceIdentifier} has ${validKeys.length} valid keys (${ids}); revoke one first.`,
      );
    }
    return this.issueKey(sourceIdentifier);
  }

  /** @throws SourceError when the source has no such key. */
  async revokeKey(sourceIdentifier: string, keyId: string): Promise<SourceKey> {
    this.get(sourceIdentifier);
    const key = this.registry.listKeys(sourceIdentifier).find((sourceKey) => sourceKey.keyId === keyId);
    if (!key) throw new SourceError(`Source ${sourceIdentifier} has no key ${keyId}.`);
    const revokedKey = { ...key, revokedAt: key.revokedAt ?? new Date().toISOString() };
    await this.write(keyRecord(revokedKey));
    return revokedKey;
  }

  async setStatus(sourceIdentifier: string, status: Source['status']): Promise<Source> {
    const source = { ...this.get(sourceIdentifier), status };
    await this.write(sourceRecord(source));
    return source;
  }

  /** Replaces the named limits; `undefined` removes one. @throws SourceError when there is no such source. */
  async setLimits(sourceIdentifier: string, changes: LimitChanges): Promise<Source> {
    const { limits: before, ...source } = this.get(sourceIdentifier);
    const mergedLimits = Object.entries({ ...before, ...changes }).filter(([, limit]) => limit !== undefined);
    const changedSource: Source =
      mergedLimits.length === 0 ? source : { ...source, limits: Object.fromEntries(mergedLimits) };
    await this.write(sourceRecord(changedSource));
    return changedSource;
  }

  /** Replaces the origins whose pages may send; `undefined` for any. @throws SourceError when there is no such source. */
  async setOrigins(sourceIdentifier: string, origins: readonly string[] | undefined): Promise<Source> {
    const changedSource: Source = { ...this.get(sourceIdentifier) };
    delete changedSource.origins;
    if (origins !== undefined) changedSource.origins = origins;
    await this.write(sourceRecord(changedSource));
    return changedSource;
  }

  /** Sets whether the user agents of clients are stored from now on. @throws SourceError when there is no such source. */
  async setUserAgent(sourceIdentifier: string, userAgent: 'keep' | 'drop'): Promise<Source> {
    const changedSource: Source = { ...this.get(sourceIdentifier) };
    delete changedSource.userAgent;
    if (userAgent === 'drop') changedSource.userAgent = userAgent;
    await this.write(sourceRecord(changedSource));
    return changedSource;
  }

  /** Sets whether clients of Segment may send to the source. @throws SourceError unless it exists and takes events. */
  async setSegment(sourceIdentifier: string, segment: 'on' | 'off'): Promise<Source> {
    const changedSource: Source = { ...this.get(sourceIdentifier) };
    if (segment === 'on') this.assertTakesEvents(changedSource);
    delete changedSource.segment;
    if (segment === 'on') changedSource.segment = segment;
    await this.write(sourceRecord(changedSource));
    return changedSource;
  }

  /**
   * Replaces the named rules of privacy, the rules of fields as a whole; `undefined` removes them.
   * @throws SourceError when there is no such source.
   */
  async setPrivacy(sourceIdentifier: string, changes: PrivacyChanges): Promise<Source> {
    const { pii, piiKeyId, requireConsent, ...source } = { ...this.get(sourceIdentifier), ...changes };
    const rules = pii ?? {};
    const isHashing = Object.values(rules).includes('hash');
    const changedSource: Source = {
      ...source,
      ...(Object.keys(rules).length > 0 && { pii: rules }),
      ...(isHashing && piiKeyId !== undefined && { piiKeyId }),
      ...(requireConsent !== undefined && { requireConsent }),
    };
    await this.write(sourceRecord(changedSource));
    return changedSource;
  }

  /** Makes gateways keep more of the source's refused messages, up to `until`. @throws SourceError for an unknown source. */
  async watch(sourceIdentifier: string, until: Date): Promise<void> {
    this.get(sourceIdentifier);
    await this.write(watchRecord(sourceIdentifier, until));
  }

  /** Writes the records of a plan, in its order. */
  async import({ records }: ImportPlan): Promise<void> {
    const writer = new CompactedTopicWriter(this.kafka, sourcesTopic);
    try {
      for (let index = 0; index < records.length; index += recordsAtOnce) {
        const batch = records.slice(index, index + recordsAtOnce);
        await writer.write(batch);
        for (const { key, value } of batch) this.registry.apply(key, value);
      }
    } finally {
      await writer.stop();
    }
  }

  /** @throws SourceError when clients of Segment have nothing that the source takes. */
  private assertTakesEvents({ type }: Source): void {
    if (type === 'catalog-api')
      throw new SourceError('A source of catalog data takes nothing that clients of Segment send.');
  }

  /** @throws SourceError when there is no such source. */
  get(sourceIdentifier: string): Source {
    const source = this.registry.find(sourceIdentifier);
    if (!source) throw new SourceError(`There is no source ${sourceIdentifier}.`);
    return source;
  }

  private async issueKey(sourceIdentifier: string): Promise<IssuedKey> {
    const apiKey = createApiKey();
    const key: SourceKey = {
      sourceIdentifier,
      keyId: createKeyId(),
      hash: hashApiKey(apiKey).toString('hex'),
      createdAt: new Date().toISOString(),
    };
    await this.write(keyRecord(key));
    return { key, apiKey };
  }

  /** Resolves when the record is durable and also in the registry this writer checks against. */
  private async write(record: CompactedRecord): Promise<void> {
    await writeCompacted(this.kafka, sourcesTopic, record);
    this.registry.apply(record.key, record.value);
  }
}
