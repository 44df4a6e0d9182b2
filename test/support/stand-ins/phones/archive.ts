import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';

export interface Archive {
  readonly url: string;
  /** The requested paths. */
  readonly requests: string[];
  stop(): Promise<void>;
}

/** Creates a gzipped tar like Temporal's release: the program beside a license. */
export function archiveOf(directory: string, program: string, name = 'temporal'): Buffer {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'LICENSE'), 'as is');
  writeFileSync(join(directory, name), program);
  const flags = ['-czf', '-', '-C', directory, 'LICENSE', name];
  return execFileSync('tar', flags);
}

/** Serves archive downloads. `answer` sends each reply and can simulate a fault. */
export async function startArchive(answer: (reply: ServerResponse) => void): Promise<Archive> {
  const requests: string[] = [];
  const server = createServer((request, reply) => {
    requests.push(`${request.method} ${request.url}`);
    answer(reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/cli/archive`, requests, stop };
}

/** Returns the content of a file; null if it cannot be read. */
export function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
