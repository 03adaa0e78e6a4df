import { type ServerSpec } from '@sluice/testing';

/** A service that runs as a process of the local stack. */
export interface StackApp {
  readonly name: 'gateway' | 'tracking' | 'catalog' | 'push-interaction' | 'console';
  readonly program: string;
  readonly managementPort: number;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}

export const managementUrl = (port: number): string => `http://127.0.0.1:${port}`;

async function isReady(port: number): Promise<boolean> {
  try {
    const { ok } = await fetch(`${managementUrl(port)}/health/ready`, { signal: AbortSignal.timeout(3_000) });
    return ok;
  } catch {
    return false;
  }
}

export function toServerSpec({ name, program, managementPort, env, logFile }: StackApp): ServerSpec {
  return {
    name,
    command: process.execPath,
    args: [program],
    env: { ...env, MANAGEMENT_HOST: '127.0.0.1', MANAGEMENT_PORT: String(managementPort) },
    port: managementPort,
    logFile,
    isReady: () => isReady(managementPort),
  };
}
