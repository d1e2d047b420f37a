import { createServer } from 'node:net';

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** The preferred port, or the next free one: no port is taken for granted. */
export async function freePortFrom(preferred: number): Promise<number> {
  for (let port = preferred; port < preferred + 200; port += 1) {
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port on 127.0.0.1 from ${preferred} to ${preferred + 199}`);
}
