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

/** Ports that this process has returned. A test may ask for two servers before either listens. */
const returnedPorts = new Set<number>();

/** Returns `count` ports of 127.0.0.1 that are free at this moment, and that it has not returned before. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  // Ports are held open until there are enough, so that the system offers others.
  while (ports.length < count) {
    const server = await listen(0);
    servers.push(server);
    const { port } = server.address() as AddressInfo;
    if (!returnedPorts.has(port)) ports.push(port);
    returnedPorts.add(port);
  }
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
