import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type KeylessRules } from '../request/accepts.js';

const rules: KeylessRules = {
  credentials: false,
  bodyLimit: 1,
  operation: {
    tag: 'Segment',
    summary: 'Settings that clients of Segment in browsers and apps ask for when they start',
    answer: 'The settings, the same for every key.',
  },
};

const host = /^[A-Za-z0-9.-]{1,255}(?::\d{1,5})?$/;
const key = /^[A-Za-z0-9\-._~]{1,512}$/;

/** Serves the settings under the paths of Segment's servers: docs/segment.md#paths. */
export function serveSettings(fastify: FastifyInstance): void {
  const answer = ({ params, headers }: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { writeKey = '' } = params as { writeKey?: string };
    return reply.send(settingsOf(writeKey, headers.host));
  };
  for (const path of ['/v1/projects/:writeKey/settings', '/projects/:writeKey/settings'])
    fastify.get(path, { config: { rules } }, answer);
}

/**
 * Returns the same settings for every key, so that they show nobody which keys exist. Their only destination is this
 * gateway, with the key in the path; clients report no metrics about themselves.
 */
function settingsOf(writeKey: string, hostHeader = ''): object {
  const isKnown = key.test(writeKey) && host.test(hostHeader);
  const own = { apiKey: key.test(writeKey) ? writeKey : '', unbundledIntegrations: [], addBundledMetadata: true };
  const all = { __default: { enabled: true, integrations: {} } };
  return {
    integrations: { 'Segment.io': { ...own, ...(isKnown && { apiHost: `${hostHeader}/s/${writeKey}/v1` }) } },
    plan: { track: all, identify: all, group: all },
    edgeFunction: {},
    middlewareSettings: {},
    enabledMiddleware: {},
    metrics: { sampleRate: 0 },
    legacyVideoPluginsEnabled: false,
    remotePlugins: [],
  };
}
