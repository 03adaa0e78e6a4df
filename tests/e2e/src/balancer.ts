import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const askEveryMs = 100;
const attemptMs = 5;
const attempts = 400;

/**
 * A TCP load balancer: hands each new connection to one of several gateways in turn. It skips gateways that are not
 * ready, because a starting gateway opens its port before it knows the sources.
 */
export class Balancer {
  private readonly server: Server;
  private readonly ready = new Set<number>();
  private readonly leaving = new Set<number>();
  private asking: NodeJS.Timeout | undefined;
  private turn = 0;

  constructor(private readonly ports: readonly number[]) {
    this.server = createServer((client) => void this.serve(client));
  }

  /** Resolves with the balancer's port. */
  async start(): Promise<number> {
    await this.ask();
    this.asking = setInterval(() => void this.ask(), askEveryMs);
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    clearInterval(this.asking);
    this.server.close();
  }

  /**
   * Gives a gateway no new connections until it `returns`. Call it before stopping the gateway: the kernel resets
   * connections that arrive at the moment the port closes.
   */
  leave(port: number): void {
    this.leaving.add(port);
  }

  returns(port: number): void {
    this.leaving.delete(port);
  }

  private async ask(): Promise<void> {
    await Promise.all(
      this.ports.map(async (port) => {
        if (await isReady(port)) this.ready.add(port);
        else this.ready.delete(port);
      }),
    );
  }

  private async serve(client: Socket): Promise<void> {
    client.on('error', () => undefined);
    client.pause();
    for (let attempt = 0; attempt < attempts; attempt++) {
      const port = this.ports[this.turn++ % this.ports.length] ?? 0;
      const gateway = this.ready.has(port) && !this.leaving.has(port) ? await tryConnect(port) : undefined;
      if (!gateway) {
        await sleep(attemptMs);
        continue;
      }
      gateway.on('error', () => client.destroy());
      client.on('close', () => gateway.end());
      client.pipe(gateway).pipe(client);
      return;
    }
    client.destroy();
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

function tryConnect(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}
