import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { Keyless, type QueryParameter } from '../request/accepts.js';
import { type Queued } from '../intake/intake.js';
import { FromAnyone, type IncomingRequest } from '../intake/source-request.js';
import { type CallbackQuery, maxUrlLength } from './callback.js';
import { PushCallbacks } from './push-callbacks.js';
import { RefusesPrefetch } from './refuses-prefetch.js';

const tag = 'Push interaction callbacks';
const token: QueryParameter = {
  name: 'token',
  required: true,
  description: 'The `id` of the push payload.',
  schema: { type: 'string' },
};
const url: QueryParameter = {
  name: 'url',
  required: false,
  description: 'Target of the tap. It is recorded; nobody is redirected.',
  schema: { type: 'string', maxLength: maxUrlLength },
};
const button: QueryParameter = {
  name: 'button',
  required: false,
  description: 'What was tapped: 0 the body, 1 and 2 the buttons.',
  schema: { type: 'string', enum: ['0', '1', '2'] },
};

/** The push interaction callbacks: docs/push.md#callbacks. */
@Controller('api/tracker/general')
@UseGuards(RefusesPrefetch)
export class PushCallbacksController {
  constructor(private readonly callbacks: PushCallbacks) {}

  @Get('delivered')
  @Keyless({ tag, summary: 'A notification was displayed', parameters: [token] })
  delivered(@Query() query: CallbackQuery, @FromAnyone() request: IncomingRequest): Promise<Queued> {
    return this.callbacks.take('delivered', query, request);
  }

  @Get('click')
  @Keyless({ tag, summary: 'A notification or its button was tapped', parameters: [token, url, button] })
  click(@Query() query: CallbackQuery, @FromAnyone() request: IncomingRequest): Promise<Queued> {
    return this.callbacks.take('clicked', query, request);
  }

  @Get('close')
  @Keyless({ tag, summary: 'A notification was dismissed', parameters: [token] })
  close(@Query() query: CallbackQuery, @FromAnyone() request: IncomingRequest): Promise<Queued> {
    return this.callbacks.take('closed', query, request);
  }

  @Get('failed')
  @Keyless({ tag, summary: 'A notification could not be displayed', parameters: [token] })
  failed(@Query() query: CallbackQuery, @FromAnyone() request: IncomingRequest): Promise<Queued> {
    return this.callbacks.take('failed', query, request);
  }

  @Get('open')
  @Keyless({ tag, summary: 'The app was launched from a notification without a target', parameters: [token] })
  open(@Query() query: CallbackQuery, @FromAnyone() request: IncomingRequest): Promise<Queued> {
    return this.callbacks.take('opened', query, request);
  }
}
