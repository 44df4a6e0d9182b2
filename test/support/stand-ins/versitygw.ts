import { mkdir } from 'node:fs/promises';
import { environment } from '../../../cli/environment.ts';
import { freePort } from '../../../cli/platform/ports.ts';
import { startPart, type Part } from '../../../cli/platform/processes.ts';
import { build, getProgram } from '../../../cli/platform/temporal-program.ts';

export interface RunningS3 extends Part {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const source = {
  name: 'versitygw',
  goPackage: 'github.com/versity/versitygw/cmd/versitygw@latest',
  minutes: 1,
};

/**
 * Starts a real S3 server over a directory. With a directory for versions, it supports versioning.
 * @throws if the program can neither be found nor built
 */
export async function startVersitygw(
  directory: string,
  say: (line: string) => void,
  versionsDirectory?: string,
): Promise<RunningS3> {
  const get = (folder: string) => build(source, folder, { say });
  const program = await getProgram(source.name, { say }, get);
  await mkdir(directory, { recursive: true });
  if (versionsDirectory) await mkdir(versionsDirectory, { recursive: true });
  const versions = versionsDirectory ? ['--versioning-dir', versionsDirectory] : [];
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const [accessKeyId, secretAccessKey] = ['test-access-key', 'test-secret-key-0123456789'];
  const part = await startPart({
    name: 'versitygw',
    title: 'the S3 server',
    program,
    flags: ['--port', `127.0.0.1:${port}`, 'posix', ...versions, directory],
    logFile: `${directory}.log`,
    env: { ...environment(), ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
    ports: [port],
    // The server is ready once it answers, even if it refuses an anonymous request.
    isReady: () =>
      fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).then(
        async ({ body }) => body?.cancel().then(() => true) ?? true,
        () => false,
      ),
    stopSignal: 'SIGTERM',
  });
  return { ...part, endpoint, accessKeyId, secretAccessKey };
}
