import { SegmentEvent } from '@sluice/contracts';
import { type SegmentType } from '@sluice/messages';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { readSourceRequest } from '../intake/source-request.js';
import { type SourceRules } from '../request/accepts.js';
import { type SegmentIntake } from './segment-intake.js';
import { serveSettings } from './settings.js';

/** Max bytes of a batch, also when inflated: the limit that Segment's own clients keep to. */
const batchBytes = 524_288;
const singleBytes = 32_768;

/** Message type, by the last part of the path, for a body without `type`; undefined for batches. */
const endpoints: Readonly<Record<string, SegmentType | undefined>> = {
  ...{ batch: undefined, import: undefined, b: undefined },
  ...{ track: 'track', t: 'track', identify: 'identify', i: 'identify', page: 'page', p: 'page' },
  ...{ screen: 'screen', s: 'screen', group: 'group', g: 'group', alias: 'alias', a: 'alias' },
};

/** Paths with the write key in `Authorization` or in the path; some clients add `/v1` to their host, others do not. */
const bases = ['/v1', '/s/:writeKey/v1', '/s/:writeKey'];

/**
 * Serves the paths of Segment's HTTP API: docs/segment.md.
 * @param countryHeader see `readClientFacts`
 */
export function serveSegment(intake: SegmentIntake, fastify: FastifyInstance, countryHeader: string | undefined): void {
  for (const [name, type] of Object.entries(endpoints)) {
    const rules: SourceRules = {
      ...{ credentials: true, message: SegmentEvent, batch: type === undefined, serversOnly: false, isSegment: true },
      quotas: ['events', 'people'],
      bodyLimit: type === undefined ? batchBytes : singleBytes,
    };
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      intake.take(type, readSourceRequest(request, reply, rules, countryHeader));
    // analytics-java ends its path with a slash.
    for (const base of bases)
      for (const end of ['', '/']) fastify.post(`${base}/${name}${end}`, { config: { rules } }, handler);
  }
  serveSettings(fastify);
}
