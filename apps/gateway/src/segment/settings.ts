import { type IncomingHttpHeaders } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type KeylessRules } from '../request/accepts.js';

const makeRules = (summary: string): KeylessRules => ({
  credentials: false,
  bodyLimit: 1,
  operation: { tag: 'Segment', summary, answer: 'The settings, the same for every key.' },
});

const settingsRules = makeRules('Settings that clients of Segment in browsers and apps ask for when they start');
const sourceConfigRules = makeRules(
  'Settings that clients of RudderStack in browsers and apps ask for when they start',
);

const host = /^[A-Za-z0-9.-]{1,255}(?::\d{1,5})?$/;
const key = /^[A-Za-z0-9\-._~]{1,512}$/;

/** Hosts that only programs of the same machine reach, without a proxy that adds TLS. */
const ownMachine = /^(?:localhost|127(?:\.\d{1,3}){3})(?::\d+)?$/i;

/** Serves the settings under the paths of Segment's and RudderStack's servers: docs/segment.md#paths. */
export function serveSettings(fastify: FastifyInstance): void {
  const answer = ({ params, headers }: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { writeKey = '' } = params as { writeKey?: string };
    return reply.send(makeSettings(writeKey, headers.host, isPlainHttp(headers)));
  };
  for (const path of ['/v1/projects/:writeKey/settings', '/projects/:writeKey/settings'])
    fastify.get(path, { config: { rules: settingsRules } }, answer);
  for (const path of ['/sourceConfig', '/sourceConfig/'])
    fastify.get(path, { config: { rules: sourceConfigRules } }, ({ query }, reply) =>
      reply.send(makeSourceConfig((query as { writeKey?: unknown }).writeKey)),
    );
}

/** Whether clients reach the gateway without TLS, as far as a request shows it; with TLS a proxy is in between. */
function isPlainHttp({ host: name = '', 'x-forwarded-proto': forwarded }: IncomingHttpHeaders): boolean {
  return forwarded === undefined ? ownMachine.test(name) : forwarded === 'http';
}

/** Returns the settings of a source without destinations, whose client reports nothing about itself. */
function makeSourceConfig(writeKey: unknown): object {
  const validKey = typeof writeKey === 'string' && key.test(writeKey) ? writeKey : '';
  const never = { enabled: false };
  const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
  return {
    source: {
      ...{ id: 'sluice', name: 'Sluice', writeKey: validKey, enabled: true, workspaceId: 'sluice', ...times },
      config: { statsCollection: { errors: never, metrics: never } },
      connections: [],
      destinations: [],
    },
    updatedAt: times.updatedAt,
  };
}

/**
 * Returns the same settings for every key, so that they show nobody which keys exist. Their only destination is this
 * gateway, with the key in the path; clients report no metrics about themselves.
 */
function makeSettings(writeKey: string, hostHeader = '', isPlain: boolean): object {
  const isKnown = key.test(writeKey) && host.test(hostHeader);
  const segmentSettings = {
    apiKey: key.test(writeKey) ? writeKey : '',
    unbundledIntegrations: [],
    addBundledMetadata: true,
  };
  const protocol = isPlain ? { protocol: 'http' } : {};
  const all = { __default: { enabled: true, integrations: {} } };
  return {
    integrations: {
      'Segment.io': { ...segmentSettings, ...(isKnown && { apiHost: `${hostHeader}/s/${writeKey}/v1`, ...protocol }) },
    },
    plan: { track: all, identify: all, group: all },
    edgeFunction: {},
    middlewareSettings: {},
    enabledMiddleware: {},
    metrics: { sampleRate: 0 },
    legacyVideoPluginsEnabled: false,
    remotePlugins: [],
  };
}
