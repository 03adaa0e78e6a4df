import { Controller, HttpCode, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Batch, IdentifyMessage, identifyTopic, TrackMessage, trackTopic } from '@sluice/contracts';
import { Intake, type Queued } from '../intake/intake.js';
import { FromSource, type SourceRequest } from '../intake/source-request.js';
import { validated, validatedItems } from '../intake/validate.js';
import { eventRow, identifyRow } from './rows.js';

const single = { credentials: true, bodyLimit: 8_192 };
const batch = { credentials: true, bodyLimit: 819_200 };

/** The Tracking API: interface §4.1. */
// The second path is the one with the source left out: its credentials are refused like any unknown source's.
@Controller(['api/tracker/sdk/:sourceIdentifier', 'api/tracker/sdk'])
export class TrackingController {
  constructor(private readonly intake: Intake) {}

  @Post('track')
  @HttpCode(200)
  @RouteConfig(single)
  track(@FromSource() request: SourceRequest): Promise<Queued> {
    const message = validated(TrackMessage, request.body);
    return this.intake.queue(trackTopic, request, [eventRow(message, request)]);
  }

  @Post('identify')
  @HttpCode(200)
  @RouteConfig(single)
  identify(@FromSource() request: SourceRequest): Promise<Queued> {
    const message = validated(IdentifyMessage, request.body);
    return this.intake.queue(identifyTopic, request, [identifyRow(message, request)]);
  }

  @Post('trackBatch')
  @HttpCode(200)
  @RouteConfig(batch)
  trackBatch(@FromSource() request: SourceRequest): Promise<Queued> {
    const messages = validatedItems(TrackMessage, validated(Batch, request.body).list);
    return this.intake.queue(
      trackTopic,
      request,
      messages.map((message) => eventRow(message, request)),
    );
  }

  @Post('identifyBatch')
  @HttpCode(200)
  @RouteConfig(batch)
  identifyBatch(@FromSource() request: SourceRequest): Promise<Queued> {
    const messages = validatedItems(IdentifyMessage, validated(Batch, request.body).list);
    return this.intake.queue(
      identifyTopic,
      request,
      messages.map((message) => identifyRow(message, request)),
    );
  }
}
