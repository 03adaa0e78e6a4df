import { Injectable } from '@nestjs/common';
import { type DeviceRow, deviceTopic, type Interaction, parseDateTime, type TrackMessage } from '@sluice/contracts';
import { PushTokens } from '@sluice/push-tokens';
import { type OutgoingRow } from '../intake/outgoing-row.js';
import { rowOrigin, type SourceRequest } from '../intake/source-request.js';
import { registrationEvent } from '../limits/quotas.js';
import { interactionRow } from './interaction-row.js';
import { type EventOnly, PushMetrics } from './push-metrics.js';

const eventPrefix = 'bb_notification_';
const interactions: ReadonlyMap<string, Interaction> = new Map(
  (['delivered', 'clicked', 'closed', 'failed', 'opened'] as const).map((name) => [`${eventPrefix}${name}`, name]),
);

/** Turns events of the SDKs into interactions and registrations: docs/push.md#events. */
@Injectable()
export class PushEventRows {
  constructor(
    private readonly tokens: PushTokens,
    private readonly metrics: PushMetrics,
  ) {}

  /**
   * Returns the row of the interaction or registration that an event reports; none if the event reports neither, is
   * incomplete, or has a token that is invalid or of another source.
   */
  readRows(message: TrackMessage, request: SourceRequest): OutgoingRow[] {
    if (!message.event.startsWith(eventPrefix)) return [];
    const row =
      message.event === registrationEvent ? deviceRow(message, request) : this.readInteraction(message, request);
    if (typeof row !== 'string') return [row];
    if (!request.validateOnly) this.metrics.eventsOnly.inc({ reason: row });
    return [];
  }

  private readInteraction(message: TrackMessage, request: SourceRequest): OutgoingRow | EventOnly {
    const interaction = interactions.get(message.event);
    if (!interaction) return 'unknown_event';
    const { id, actionId, url, reason } = message.properties ?? {};
    const token = this.tokens.open(id);
    if (!token) return 'token_not_opened';
    // A source must not inflate another source's statistics.
    if (token.source !== request.sourceIdentifier) return 'foreign_source';
    const report = {
      interaction,
      happenedAt: readTime(message, request),
      reported_by: ['event'] as ['event'],
      ...pickTexts({ url, action_id: actionId, ...(interaction === 'failed' && { reason }) }),
      ...personColumns(message),
    };
    return interactionRow(token, report, request);
  }
}

function deviceRow(message: TrackMessage, request: SourceRequest): OutgoingRow | EventOnly {
  const { key, device_id: deviceId, sdk, package_name } = message.properties ?? {};
  if (!isText(key) || !isText(deviceId)) return 'registration_incomplete';
  const row: DeviceRow = {
    ...rowOrigin(request),
    device_id: deviceId,
    key,
    ...pickTexts({ sdk, package_name }),
    ...personColumns(message),
    // The latest registration wins: a device whose clock is ahead must not win for ever.
    registered_at: new Date(Math.min(readTime(message, request), Date.parse(request.receivedAt))).toISOString(),
  };
  return { topic: deviceTopic, key: `${request.sourceIdentifier}:${deviceId}`, row };
}

const readTime = ({ timestamp }: TrackMessage, { receivedAt }: SourceRequest): number =>
  parseDateTime(timestamp ?? receivedAt);

const personColumns = ({ userId, anonymousId }: TrackMessage) => ({
  ...(userId && { user_id: userId }),
  ...(anonymousId && { anonymous_id: anonymousId }),
});

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** The members that are texts and not blank. */
const pickTexts = <Name extends string>(members: Partial<Record<Name, unknown>>): Partial<Record<Name, string>> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => isText(value))) as Partial<Record<Name, string>>;
