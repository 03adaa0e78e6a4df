import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy whose connections can be torn at any moment, also between a request and its answer. */
export class ResetProxy {
  private readonly sockets = new Set<Socket>();
  /** Answers are swallowed and the connection reset instead: what was asked for may have been done. */
  swallowsAnswers = false;
  resets = 0;

  private constructor(private readonly server: Server) {}

  static async start(targetPort: number): Promise<ResetProxy> {
    const server = createServer();
    const proxy = new ResetProxy(server);
    server.on('connection', (client) => {
      proxy.join(client, connect(targetPort, '127.0.0.1'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resets every connection there is. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
    this.resets += 1;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.reset();
    await once(this.server, 'close');
  }

  private join(client: Socket, target: Socket): void {
    const both = [client, target];
    const end = () => {
      for (const socket of both) {
        socket.destroy();
        this.sockets.delete(socket);
      }
    };
    for (const socket of both) {
      this.sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.pipe(target);
    target.on('data', (chunk) => {
      if (!this.swallowsAnswers) client.write(chunk);
      else {
        this.resets += 1;
        client.resetAndDestroy();
      }
    });
  }
}
