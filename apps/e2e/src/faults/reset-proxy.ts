import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const beginning = Buffer.from('POST /');

/** A TCP proxy whose connections can be torn at any moment, also between a request and its answer, and made slow. */
export class ResetProxy {
  private readonly sockets = new Set<Socket>();
  /** Answers are swallowed and the connection reset instead: what was asked for may have been done. */
  swallowsAnswers = false;
  /** How long an INSERT that is done waits for its answer; nothing else does. */
  insertDelayMs = 0;
  /** INSERTs into this table are swallowed and never answered; `release` ends them. */
  private hanging: string | undefined;
  private readonly swallowed = new Set<Socket>();
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

  hang(table: string): void {
    this.hanging = table;
  }

  /** INSERTs are served again; those that hang fail. */
  release(): void {
    this.hanging = undefined;
    for (const socket of this.swallowed) socket.resetAndDestroy();
  }

  get hangingInserts(): number {
    return this.swallowed.size;
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
        this.swallowed.delete(socket);
      }
    };
    // ClickHouse closes a connection on which nothing comes; what hangs must not hear of it.
    const endTarget = () => {
      if (!this.swallowed.has(client)) end();
    };
    for (const socket of both) this.sockets.add(socket);
    client.on('error', end).on('close', end);
    target.on('error', endTarget).on('close', endTarget);
    // A connection has one request at a time.
    let isInsert = false;
    client.on('data', (chunk) => {
      if (chunk.subarray(0, 6).equals(beginning)) {
        isInsert = chunk.includes('INSERT');
        if (this.hanging !== undefined && isInsertInto(this.hanging, chunk)) this.swallowed.add(client);
      }
      if (!this.swallowed.has(client) && !target.write(chunk)) client.pause();
    });
    target.on('drain', () => client.resume());
    client.on('end', () => {
      target.end();
      if (this.swallowed.has(client)) end();
    });
    target.on('data', (chunk) => {
      if (!this.swallowsAnswers) this.answer(client, chunk, isInsert ? this.insertDelayMs : 0);
      else {
        this.resets += 1;
        client.resetAndDestroy();
      }
    });
  }

  private answer(client: Socket, chunk: Buffer, delayMs: number): void {
    if (delayMs === 0) client.write(chunk);
    else setTimeout(() => client.write(chunk), delayMs);
  }
}

const isInsertInto = (table: string, request: Buffer): boolean =>
  new RegExp(`INSERT(?:\\+|%20)INTO(?:\\+|%20)${table}(?:\\+|%20)`).test(request.subarray(0, 4_096).toString('latin1'));
