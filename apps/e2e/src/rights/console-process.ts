import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts, ServerProcess } from '@sluice/testing';

const program = fileURLToPath(new URL('../../../console/dist/main.js', import.meta.url));

interface RunningConsole {
  url: string;
  stop: () => Promise<void>;
}

/** Starts the built console as a process of its own. */
export async function startConsole(folder: string, settings: Record<string, string>): Promise<RunningConsole> {
  const [port = 0, managementPort = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const server = await ServerProcess.spawn({
    name: 'console',
    command: process.execPath,
    args: [program],
    env: {
      CONSOLE_HOST: '127.0.0.1',
      CONSOLE_PORT: String(port),
      CONSOLE_URL: url,
      CONSOLE_SECRET: 'a secret of more than thirty-two characters',
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(managementPort),
      ...settings,
    },
    port: managementPort,
    logFile: join(folder, 'console.log'),
    isReady: () =>
      fetch(`http://127.0.0.1:${managementPort}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
  await server.untilReady(90_000);
  return { url, stop: () => server.stop(0) };
}
