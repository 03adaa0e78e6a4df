import { Injectable } from '@nestjs/common';
import { type AdRequestRow, adRequestTopic, type FreeForm, isObject } from '@sluice/contracts';
import { countByMessage, hashName, Report, keepStorable, limitNewNames } from '@sluice/messages';
import { Credentials } from '../auth/credentials.js';
import { invalidFields, httpError } from '../errors/api-error.js';
import { IntakeMetrics } from '../intake/intake-metrics.js';
import { Intake } from '../intake/intake.js';
import { type RequestNames, SourceNames } from '../limits/source-names.js';
import { createMessageId } from '../intake/message-id.js';
import { type IncomingRequest, rowOrigin } from '../intake/source-request.js';

const bodyColumn = hashName('body');
/**
 * Names of ad requests are apart from those of the source that they name: they come without a key. Those that name none
 * share one bound.
 */
const adRequestNames = (sourceIdentifier: string): string => `ad requests of ${sourceIdentifier}`;
/** Their label in metrics. */
const adRequests = 'ad requests';

/** Records ad requests of any shape: docs/push.md#ad-requests. */
@Injectable()
export class AdRequests {
  constructor(
    private readonly credentials: Credentials,
    private readonly intake: Intake,
    private readonly metrics: IntakeMetrics,
    private readonly names: SourceNames,
  ) {}

  /** @throws ApiError at once when the request is refused; rejects with NotPublishedError when it is not durable. */
  take(endpoint: AdRequestRow['endpoint'], body: unknown, request: IncomingRequest): Promise<void> {
    if (!isObject(body)) throw invalidFields([{ field: '', message: 'must be an object' }]);
    const sourceIdentifier = this.requireSource(body);
    const report = new Report();
    const names = this.names.namesFor(adRequestNames(sourceIdentifier), request.validateOnly, adRequests);
    report.names = names;
    // The key is ignored without a source: clients choose their keys independently. The endpoint is part of the id,
    // because the same body may be sent to both.
    const idempotencyKey = sourceIdentifier === '' ? undefined : request.idempotencyKey;
    const messageId = createMessageId({ sourceIdentifier, idempotencyKey }, 0, [endpoint, body]);
    const row: AdRequestRow = {
      ...rowOrigin({ ...request, sourceIdentifier }),
      message_id: messageId,
      endpoint,
      body: shapeBody(body, names, report),
    };
    // Counted only, because an answer without a body cannot name the dropped values.
    if (!request.validateOnly) this.metrics.countDropped(countByMessage(report.dropped));
    if (!request.validateOnly) names.commit();
    // Copies of a message share a key; the messages of a source spread over all partitions.
    return this.intake.publish([{ topic: adRequestTopic, key: messageId, row }], request);
  }

  /** The source that the body names, or an empty text. @throws ApiError 404 when the source is not enabled. */
  private requireSource({ sourceIdentifier = null }: FreeForm): string {
    if (sourceIdentifier === null) return '';
    if (typeof sourceIdentifier !== 'string') throw httpError.sourceNotFound();
    this.credentials.assertEnabled(sourceIdentifier);
    return sourceIdentifier;
  }
}

function shapeBody(body: FreeForm, names: RequestNames, report: Report): FreeForm {
  const shaped = keepStorable(body, '', 'free', report, bodyColumn);
  if (!report.hasNewNames) return shaped;
  const { body: limited } = limitNewNames({ body: shaped }, names, '', report);
  if (limited !== shaped) names.countBeyond();
  return limited;
}
