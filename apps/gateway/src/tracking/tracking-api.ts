import { Injectable } from '@nestjs/common';
import { canarySource, IdentifyMessage, TrackMessage } from '@sluice/contracts';
import { largestBody } from '../limits/limits.js';
import { type SourceApi } from '../intake/source-routes.js';
import { Intake } from '../intake/intake.js';
import { type IntakeKind } from '../intake/intake-kind.js';
import { PushEventRows } from '../push/push-events.js';
import { identifyKind } from './identify.js';
import { probeKind, trackKind } from './track.js';

/** Bytes of a single message: docs/api.md#routes. */
const single = 8_192;

/** The Tracking API: docs/api.md#track-and-identify-messages. */
@Injectable()
export class TrackingApi implements SourceApi {
  readonly path = '/api/tracker/sdk';
  readonly serversOnly = false;
  readonly endpoints: SourceApi['endpoints'];

  constructor(intake: Intake, pushEvents: PushEventRows) {
    // Some events also report an interaction with a notification, or register a device.
    const event: IntakeKind<TrackMessage> = {
      ...trackKind,
      extraRows: (message, request) => pushEvents.readRows(message, request),
    };
    this.endpoints = [
      {
        name: 'track',
        message: TrackMessage,
        bodyLimit: single,
        quotas: ['events', 'people'],
        take: (request) =>
          request.sourceIdentifier === canarySource ? intake.take(probeKind, request) : intake.take(event, request),
      },
      {
        name: 'identify',
        message: IdentifyMessage,
        bodyLimit: single,
        quotas: ['people'],
        take: (request) => intake.take(identifyKind, request),
      },
      {
        name: 'trackBatch',
        message: TrackMessage,
        batch: true,
        bodyLimit: largestBody,
        quotas: ['events', 'people'],
        take: (request) => intake.takeBatch(event, request),
      },
      {
        name: 'identifyBatch',
        message: IdentifyMessage,
        batch: true,
        bodyLimit: largestBody,
        quotas: ['people'],
        take: (request) => intake.takeBatch(identifyKind, request),
      },
    ];
  }
}
