import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

async function listen(port: number): Promise<Server> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** Returns `count` different ports of 127.0.0.1 that are free at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  // All ports are held open together, so that none is returned twice.
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(close));
  return ports;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port ?? 0;
}

export async function isPortFree(port: number): Promise<boolean> {
  try {
    await close(await listen(port));
    return true;
  } catch {
    return false;
  }
}
