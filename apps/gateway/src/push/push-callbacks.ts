import { Injectable } from '@nestjs/common';
import { type Interaction } from '@sluice/contracts';
import { Report } from '@sluice/messages';
import { PushTokens } from '@sluice/push-tokens';
import { Credentials } from '../auth/credentials.js';
import { invalidFields } from '../errors/api-error.js';
import { Intake, type Queued } from '../intake/intake.js';
import { type IncomingRequest } from '../intake/source-request.js';
import { type CallbackQuery, clickTarget } from './callback.js';
import { interactionRow } from './interaction-row.js';
import { PushMetrics } from './push-metrics.js';

/** Records interactions that callbacks report. The token is their only credential: docs/push.md#callbacks. */
@Injectable()
export class PushCallbacks {
  constructor(
    private readonly tokens: PushTokens,
    private readonly credentials: Credentials,
    private readonly intake: Intake,
    private readonly metrics: PushMetrics,
  ) {}

  /** @throws ApiError when the callback is refused, NotPublishedError when it is not durable. */
  async take(interaction: Interaction, query: CallbackQuery, request: IncomingRequest): Promise<Queued> {
    const report = new Report();
    const token = this.tokens.open(query['token']);
    if (token) this.credentials.assertEnabled(token.source);
    else report.refuse('token', 'must be the id of a push notification');
    const target = interaction === 'clicked' ? clickTarget(query, report) : {};
    if (!token || report.problems.length > 0) {
      this.metrics.callbacksRefused.inc({ reason: token ? 'field' : 'token' });
      throw invalidFields(report.problems);
    }
    const happenedAt = Date.parse(request.receivedAt);
    const row = interactionRow(token, { interaction, happenedAt, reported_by: ['callback'], ...target }, request);
    await this.intake.publish([row], request);
    return { status: 'QUEUED' };
  }
}
