import { Controller, Post } from '@nestjs/common';
import { IdentifyMessage, TrackMessage } from '@sluice/contracts';
import { Accepts } from '../http/accepts.js';
import { Intake, type Kind, type Queued } from '../intake/intake.js';
import { FromSource, type SourceRequest } from '../intake/source-request.js';
import { PushEvents } from '../push/push-events.js';
import { identify } from './identify.js';
import { track } from './track.js';

/** Bytes of a request, as in interface §8. */
const single = 8_192;
const batch = 819_200;

/** The Tracking API: interface §4.1. */
// The second path is the one with the source left out: its credentials are refused like any unknown source's.
@Controller(['api/tracker/sdk/:sourceIdentifier', 'api/tracker/sdk'])
export class TrackingController {
  /** Some events also say something of a notification or a device. */
  private readonly trackKind: Kind<TrackMessage>;

  constructor(
    private readonly intake: Intake,
    pushEvents: PushEvents,
  ) {
    this.trackKind = { ...track, also: (message, request) => pushEvents.rowsOf(message, request) };
  }

  @Post('track')
  @Accepts(TrackMessage, single)
  track(@FromSource() request: SourceRequest): Promise<Queued> {
    return this.intake.take(this.trackKind, request);
  }

  @Post('identify')
  @Accepts(IdentifyMessage, single)
  identify(@FromSource() request: SourceRequest): Promise<Queued> {
    return this.intake.take(identify, request);
  }

  @Post('trackBatch')
  @Accepts(TrackMessage, batch, { batch: true })
  trackBatch(@FromSource() request: SourceRequest): Promise<Queued> {
    return this.intake.takeBatch(this.trackKind, request);
  }

  @Post('identifyBatch')
  @Accepts(IdentifyMessage, batch, { batch: true })
  identifyBatch(@FromSource() request: SourceRequest): Promise<Queued> {
    return this.intake.takeBatch(identify, request);
  }
}
