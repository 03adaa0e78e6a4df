import { Injectable } from '@nestjs/common';
import { IdentifyMessage, TrackMessage } from '@sluice/contracts';
import { largestBody } from '../limits/limits.js';
import { type SourceApi } from '../intake/source-routes.js';
import { Intake } from '../intake/intake.js';
import { type IntakeKind } from '../intake/intake-kind.js';
import { PushEvents } from '../push/push-events.js';
import { identify } from './identify.js';
import { track } from './track.js';

/** Bytes of a single message: docs/api.md#routes. */
const single = 8_192;

/** The Tracking API: docs/api.md#track-and-identify-messages. */
@Injectable()
export class TrackingApi implements SourceApi {
  readonly path = '/api/tracker/sdk';
  readonly serversOnly = false;
  readonly endpoints: SourceApi['endpoints'];

  constructor(intake: Intake, pushEvents: PushEvents) {
    // Some events also report an interaction with a notification, or register a device.
    const event: IntakeKind<TrackMessage> = {
      ...track,
      also: (message, request) => pushEvents.rowsOf(message, request),
    };
    this.endpoints = [
      {
        name: 'track',
        message: TrackMessage,
        bodyLimit: single,
        take: (request) => intake.take(event, request),
      },
      {
        name: 'identify',
        message: IdentifyMessage,
        bodyLimit: single,
        take: (request) => intake.take(identify, request),
      },
      {
        name: 'trackBatch',
        message: TrackMessage,
        batch: true,
        bodyLimit: largestBody,
        take: (request) => intake.takeBatch(event, request),
      },
      {
        name: 'identifyBatch',
        message: IdentifyMessage,
        batch: true,
        bodyLimit: largestBody,
        take: (request) => intake.takeBatch(identify, request),
      },
    ];
  }
}
