import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { temporalTlsOf } from '../../activities/runtime/temporal-tls.ts';
import { directoryFault, nearest } from '../data-directory/directory-fault.ts';
import { lockFile, readState, type Ports } from '../data-directory/state.ts';
import { environment } from '../environment.ts';
import { readLedger } from '../platform/ledger.ts';
import { isFree } from '../platform/ports.ts';
import { listDrafts } from '../platform/postgres-drafts.ts';
import { clusterOf, packageDirectory } from '../platform/postgres-place.ts';
import { listApart } from '../platform/postgres-roots-place.ts';
import { awaitPostgres } from '../platform/postgres.ts';
import { reasonOf } from '../platform/reason.ts';
import { wantedPorts } from '../platform/settings.ts';
import { findLeft, namesOf } from '../platform/strays.ts';
import { faultOfGetting, findInstalledTemporal } from '../platform/temporal-program.ts';
import { temporalAnswers } from '../platform/temporal.ts';

interface Finding {
  readonly isFine: boolean;
  readonly say: string;
  /** What else was seen, a line each. */
  readonly more?: readonly string[];
}

const nodeNeeded = 24;
const diskBytesNeeded = 1024 ** 3;
const answerMsMax = 3_000;
const moreMax = 3;

/**
 * Looks at what the platform needs here; each failing line names its fix. 1 when one fails. What
 * else was seen is told in three lines, unless all of it is asked for.
 */
export async function doctor(dataDir: string, { isWhole }: { isWhole: boolean }): Promise<number> {
  const checks: [string, () => Finding | Promise<Finding>][] = [
    ['Node', checkNode],
    ['PostgreSQL', () => checkPostgres(dataDir)],
    ['Temporal server', checkTemporal],
    ['State directory', () => checkDirectory(dataDir)],
    ['Keys', () => checkKeys(dataDir)],
    ['Disk', () => checkDisk(dataDir)],
    ['Ports', () => checkPorts(dataDir)],
    ['Public log', () => checkPublicLog(dataDir)],
  ];
  let isAllFine = true;
  for (const [name, look] of checks) {
    const { isFine, say, more = [] } = await finding(look);
    process.stdout.write(`${isFine ? '✓' : '✗'} ${name}: ${say}\n`);
    const shown = isWhole ? more : more.slice(0, moreMax);
    for (const line of shown) process.stdout.write(`    ${line}\n`);
    const others = more.length - shown.length;
    if (others > 0) process.stdout.write(`    and ${others} more: npx trustcheck doctor --all\n`);
    isAllFine &&= isFine;
  }
  return isAllFine ? 0 : 1;
}

async function finding(look: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    return { isFine: false, say: reasonOf(error) };
  }
}

function checkNode(): Finding {
  const isFine = Number(process.versions.node.split('.')[0]) >= nodeNeeded;
  const say = isFine ? process.version : `${process.version}; run npm ci, or install Node 24`;
  return { isFine, say };
}

async function checkPostgres(dataDir: string): Promise<Finding> {
  const given = environment()['DATABASE_ADMIN_URL'];
  if (given) {
    await awaitPostgres(given, answerMsMax);
    return { isFine: true, say: 'DATABASE_ADMIN_URL answers' };
  }
  const manifest = await readFile(join(packageDirectory(), 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const cluster = await clusterOf(join(dataDir, 'postgres'));
  const made = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => null);
  if (made !== null && made.trim() !== version.split('.')[0]) {
    const say = `${cluster} is of version ${made.trim()}, not ${version}; run npm run reset`;
    return { isFine: false, say };
  }
  const isApart = dirname(cluster) !== resolve(dataDir);
  const say = `embedded, ${version}${isApart ? `; as root its cluster lies at ${cluster}` : ''}`;
  const left = process.getuid?.() === 0 ? await leftClusters() : [];
  return { isFine: true, say, more: [...(await leftDrafts(dataDir)), ...left] };
}

/** What initializations that were killed have left. */
async function leftDrafts(dataDir: string): Promise<string[]> {
  const drafts = await listDrafts(join(dataDir, 'postgres'));
  return drafts.flatMap(({ path, maker }) => {
    if (maker === 'alive') return [];
    const way = maker === 'gone' ? 'the next start removes it' : wayFor(path);
    return [`${path} is left there, half made, by a start that was killed; ${way}`];
  });
}

const whichIsGone = 'which is gone, or has another now';
const wayFor = (path: string): string => `remove it: rm -r ${path}*`;

/** Clusters in root's place that no data directory leads to any more. */
async function leftClusters(): Promise<string[]> {
  const all = await listApart();
  const left = all.flatMap(({ path, dataDir, isWanted }) =>
    dataDir === null || isWanted
      ? []
      : [`${path} is left there of ${dataDir}, ${whichIsGone}; ${wayFor(path)}`],
  );
  const nameless = all.filter(({ dataDir }) => dataDir === null);
  const [first] = nameless;
  if (!first) return left;
  const where = `${nameless.length} clusters in ${dirname(first.path)}`;
  return [...left, `${where} have no recorded data directory`];
}

async function checkTemporal(): Promise<Finding> {
  const given = environment()['TEMPORAL_ADDRESS'];
  if (given) {
    const isFine = await temporalAnswers(given, {
      msMax: answerMsMax,
      tls: temporalTlsOf(environment()),
    });
    const fault = `nobody answers at ${given}; start it, or unset TEMPORAL_ADDRESS`;
    return { isFine, say: isFine ? 'TEMPORAL_ADDRESS answers' : fault };
  }
  const found = await findInstalledTemporal({ say: () => undefined });
  if (found) return { isFine: true, say: found };
  const fault = await faultOfGetting();
  if (fault !== null) return { isFine: false, say: `not there; ${fault}` };
  return { isFine: true, say: 'not there yet; the first start downloads it, or builds it with Go' };
}

async function checkDirectory(dataDir: string): Promise<Finding> {
  const fault = await directoryFault(dataDir);
  return { isFine: fault === null, say: fault ? `${fault.why}; ${fault.fix}` : dataDir };
}

/** Those that AWS KMS or a token holds are asked for a signature each. */
async function checkKeys(dataDir: string): Promise<Finding> {
  if (!existsSync(join(dataDir, 'keys'))) {
    return { isFine: true, say: 'not there yet; the first start makes them' };
  }
  const { loadLocalKeys } = await import('../data-directory/keys.ts');
  const keys = loadLocalKeys(dataDir);
  await keys.prove();
  const { currentOf, rotatableKeys } = await import('../../activities/keys/changes/rotate-keys.ts');
  const held = rotatableKeys.filter((name) => currentOf(keys, name).prove);
  const say =
    held.length > 0 ? `${held.join(', ')} held elsewhere, and each signs` : 'all in files';
  return { isFine: true, say };
}

async function checkDisk(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearest(dataDir));
  const free = bavail * bsize;
  const say = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  const isFine = free > diskBytesNeeded;
  return { isFine, say: isFine ? say : `${say}; 1 GiB is needed` };
}

/**
 * A port of somebody else's is no fault: a free one is picked. What a killed start has left is one.
 */
async function checkPorts(dataDir: string): Promise<Finding> {
  const last = await readState(dataDir, 'ports');
  const ports = wantedPorts(last);
  const running = readLedger(lockFile(dataDir));
  if (running) return { isFine: true, say: `in use by trustcheck, process ${running.owner.pid}` };
  const left = await findLeft(dataDir);
  const own = new Set(left.flatMap(({ name }) => last && portsOf(last, name)));
  const taken = (
    await Promise.all([...new Set([...Object.values(ports), ...own])].map(ifTaken))
  ).filter((port) => port !== null);
  const others = taken.filter((port) => !own.has(port));
  const foreign = `${others.join(', ')} taken by somebody else; others will be picked`;
  if (left.length === 0) return { isFine: true, say: others.length > 0 ? foreign : 'free' };
  const ours = taken.filter((port) => own.has(port));
  const where = ours.length > 0 ? ` at ${ours.join(', ')}` : '';
  const say = `ours, left by a start that was killed: ${namesOf(left)}${where}; run npm run stop`;
  return { isFine: false, say, ...(others.length > 0 ? { more: [foreign] } : {}) };
}

/** A worker that runs here says whether the log goes on from what was signed. */
async function checkPublicLog(dataDir: string): Promise<Finding> {
  const ports = await readState(dataDir, 'ports');
  if (!ports || !readLedger(lockFile(dataDir))) {
    return { isFine: true, say: 'looked at by the workers at their start' };
  }
  const answer = await fetch(`http://127.0.0.1:${ports.worker}/readyz`, {
    signal: AbortSignal.timeout(answerMsMax),
  });
  const { checks } = Object(await answer.json());
  if (Object(checks).log !== false) return { isFine: true, say: 'goes on from what it has signed' };
  const say = 'does not go on from what it has signed; see "After a restore" in docs/log.md';
  return { isFine: false, say };
}

/** The ports a part of the last start listens on. */
function portsOf({ api, metrics, worker, postgres, temporal, temporalUi }: Ports, name: string) {
  const known: Readonly<Record<string, number[]>> = {
    api: [api, metrics],
    worker: [worker],
    postgres: [postgres],
    temporal: [temporal, temporalUi],
  };
  return known[name] ?? [];
}

async function ifTaken(port: number | null): Promise<number | null> {
  return port === null || port === 0 || (await isFree(port)) ? null : port;
}
