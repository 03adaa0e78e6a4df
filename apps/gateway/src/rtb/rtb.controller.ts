import { Controller, Post } from '@nestjs/common';
import { Keyless } from '../request/accepts.js';
import { FromAnyone, type IncomingRequest, ReadJson } from '../intake/source-request.js';
import { AdRequests } from './ad-requests.js';

const tag = 'Ad requests';
/** 204 means "no ad" in OpenRTB. */
const noAd = { status: 204, bodyLimit: 65_536 };

/** The ad endpoints: docs/push.md#ad-requests. They record requests and never offer an ad. */
@Controller('api/rtb')
export class RtbController {
  constructor(private readonly adRequests: AdRequests) {}

  @Post('ad')
  @Keyless({ tag, summary: 'Records an ad request' }, noAd)
  ad(@ReadJson() body: unknown, @FromAnyone() request: IncomingRequest): Promise<void> {
    return this.adRequests.take('ad', body, request);
  }

  @Post('sponsoredAd')
  @Keyless({ tag, summary: 'Records a request for sponsored ads' }, noAd)
  sponsoredAd(@ReadJson() body: unknown, @FromAnyone() request: IncomingRequest): Promise<void> {
    return this.adRequests.take('sponsoredAd', body, request);
  }
}
