import { request, type RequestOptions } from 'node:http';

/** Address of the engine: a socket path or a host. Undefined for unsupported protocols such as ssh. */
export function engineAddress(dockerHost = 'unix:///var/run/docker.sock'): RequestOptions | undefined {
  if (!URL.canParse(dockerHost)) return undefined;
  const url = new URL(dockerHost);
  if (url.protocol === 'unix:') return { socketPath: url.pathname };
  if (url.protocol === 'tcp:' || url.protocol === 'http:') return { host: url.hostname, port: url.port || 2375 };
  return undefined;
}

/** True if a Docker engine answers. An installed `docker` program alone does not prove that. */
export function dockerAnswers(dockerHost: string | undefined, timeoutMs = 1_000): Promise<boolean> {
  const address = engineAddress(dockerHost);
  if (!address) return Promise.resolve(false);
  return new Promise((resolve) => {
    const ping = request({ ...address, path: '/_ping', signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on('error', () => resolve(false));
    ping.end();
  });
}
