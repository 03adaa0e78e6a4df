import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const beginning = Buffer.from('POST /');
const readerAt = Buffer.from('POST /?');

/** A TCP proxy that can reset or delay connections at any moment, even between a request and its answer. */
export class ResetProxy {
  private readonly sockets = new Set<Socket>();
  /** Replaces answers by a reset, so that the client cannot know whether its request was done. */
  swallowsAnswers = false;
  /** Delay of the answers to INSERTs; other answers are not delayed. */
  insertDelayMs = 0;
  /** Table whose INSERTs are swallowed and never answered, until `release`. */
  private hanging: string | undefined;
  private readonly swallowed = new Set<Socket>();
  /** Makes every query read-only. */
  isReadOnly = false;
  private heldInserts = 0;
  private heldMs = 0;
  resets = 0;

  private constructor(private readonly server: Server) {}

  static async start(targetPort: number): Promise<ResetProxy> {
    const server = createServer();
    const proxy = new ResetProxy(server);
    server.on('connection', (client) => proxy.join(client, connect(targetPort, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resets all connections. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
    this.resets += 1;
  }

  hang(table: string): void {
    this.hanging = table;
  }

  /** Serves INSERTs again; hanging ones fail. */
  release(): void {
    this.hanging = undefined;
    for (const socket of this.swallowed) socket.resetAndDestroy();
  }

  get hangingInserts(): number {
    return this.swallowed.size;
  }

  /** Delays the answer of the next INSERT only. */
  holdOne(ms: number): void {
    this.heldInserts += 1;
    this.heldMs = ms;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.reset();
    await once(this.server, 'close');
  }

  private join(client: Socket, target: Socket): void {
    const sockets = [client, target];
    const end = () => {
      for (const socket of sockets) {
        socket.destroy();
        this.sockets.delete(socket);
        this.swallowed.delete(socket);
      }
    };
    // ClickHouse closes idle connections. A client with a hanging INSERT must not notice that.
    const endTarget = () => {
      if (!this.swallowed.has(client)) end();
    };
    for (const socket of sockets) this.sockets.add(socket);
    client.on('error', end).on('close', end);
    target.on('error', endTarget).on('close', endTarget);
    // A connection has one request at a time.
    let delayMs = 0;
    client.on('data', (chunk) => {
      const isBeginning = chunk.subarray(0, beginning.length).equals(beginning);
      if (isBeginning) {
        delayMs = chunk.includes('INSERT') ? this.delayOfInsert() : 0;
        if (this.hanging !== undefined && isInsertInto(this.hanging, chunk)) this.swallowed.add(client);
      }
      const forwarded = isBeginning && this.isReadOnly ? asReader(chunk) : chunk;
      if (!this.swallowed.has(client) && !target.write(forwarded)) client.pause();
    });
    target.on('drain', () => client.resume());
    client.on('end', () => {
      target.end();
      if (this.swallowed.has(client)) end();
    });
    target.on('data', (chunk) => {
      if (!this.swallowsAnswers) this.answer(client, chunk, delayMs);
      else {
        this.resets += 1;
        client.resetAndDestroy();
      }
    });
  }

  private delayOfInsert(): number {
    if (this.heldInserts === 0) return this.insertDelayMs;
    this.heldInserts -= 1;
    return this.heldMs;
  }

  private answer(client: Socket, chunk: Buffer, delayMs: number): void {
    if (delayMs === 0) client.write(chunk);
    else setTimeout(() => client.write(chunk), delayMs);
  }
}

const isInsertInto = (table: string, request: Buffer): boolean =>
  new RegExp(`INSERT(?:\\+|%20)INTO(?:\\+|%20)${table}(?:\\+|%20)`).test(request.subarray(0, 4_096).toString('latin1'));

/** Adds the setting `readonly` to the URL of a request, which contains all settings. */
const asReader = (chunk: Buffer): Buffer =>
  chunk.subarray(0, readerAt.length).equals(readerAt)
    ? Buffer.concat([readerAt, Buffer.from('readonly=1&'), chunk.subarray(readerAt.length)])
    : chunk;
