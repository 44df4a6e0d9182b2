import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { transaction } from '../../../db/client.ts';
import { addAffidavit } from '../../../db/queries/affidavits.ts';
import { trustCheckStream } from '../../../db/queries/events.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { closeStage, newSession, stage, staged, type Stage } from '../../support/races/stage.ts';
import { roundsSetting } from './campaign.ts';
import { issue, type IssuePlan } from './issuing.ts';

const program = fileURLToPath(new URL('issue-child.ts', import.meta.url));
const rounds = Number(process.env[roundsSetting] ?? 0);
/** Outside a campaign, every n-th step is tried. */
const apart = 13;
/** Number of concurrent processes. */
const lanes = 2;
let on: Stage;
let keys: PlatformKeys;
let common: Omit<IssuePlan, 'affidavitId' | 'dieAt'>;

beforeAll(async () => {
  const { databaseUrl, dataDir, baseUrl } = ownPlatform();
  on = await stage();
  const [named] = await staged(on, 'SELECT current_database() AS name', []);
  const keyDirectory = join(dataDir, 'keys');
  keys = loadKeys(keyDirectory);
  common = {
    databaseUrl: databaseUrl.replace(/[^/]+$/, String(named?.['name'])),
    keyDirectory,
    folder: await mkdtemp(join(tmpdir(), 'trustcheck-failpoints-')),
    baseUrl,
  };
});
afterAll(async () => {
  await closeStage();
  await rm(common.folder, { recursive: true, force: true });
});

/** Creates a passed check with a planned affidavit. */
async function planned() {
  const now = new Date();
  const row = await newSession(on, { status: 'passed', decided_at: now });
  const affidavitId = on.ids.make('aff');
  await transaction(on.db, (tx) => addAffidavit(tx, row, affidavitId, now));
  const session = row.link_session_id;
  const folder = join(common.folder, 'affidavits', String(row.account_id), session, affidavitId);
  return { session, folder, affidavitId, plan: { ...common, affidavitId, dieAt: null } };
}

type Planned = Awaited<ReturnType<typeof planned>>;

async function left({ session, affidavitId, folder }: Planned) {
  const [row] = await staged(
    on,
    `SELECT status, version, sha256, content_sealed FROM affidavits WHERE affidavit_id = $1`,
    [affidavitId],
  );
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.pdf'));
  const files = await Promise.all(names.map((name) => readFile(join(folder, name))));
  const told = await staged(
    on,
    `SELECT 1 FROM events WHERE stream = $1 AND type = 'affidavit.available'`,
    [trustCheckStream(session)],
  );
  const logged = await staged(on, 'SELECT 1 FROM transparency_entries WHERE affidavit_id = $1', [
    affidavitId,
  ]);
  return { row, names, file: files[0], told: told.length, logged: logged.length };
}

/**
 * Kills a process at a step, issues twice with another one, and returns the step; null if there was
 * none.
 */
async function killAt(dieAt: number): Promise<string | null> {
  const one = await planned();
  const child = spawn(process.execPath, [program, JSON.stringify({ ...one.plan, dieAt })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [step, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const before = await left(one);
  for (const _again of [1, 2]) await issue(one.plan, () => undefined);
  const after = await left(one);
  const { file = Buffer.of() } = after;
  const sha256 = createHash('sha256').update(file).digest('hex');
  expect([step, after]).toEqual([
    step,
    {
      row: { status: 'available', version: 1, sha256, content_sealed: expect.any(Buffer) },
      names: ['v1.pdf'],
      file,
      told: 1,
      logged: 1,
    },
  ]);
  // The frozen content stays, and the stored file is the published one.
  const frozen = before.row?.['content_sealed'];
  if (frozen) expect([step, after.row?.['content_sealed']]).toEqual([step, frozen]);
  if (before.file) expect([step, before.file.equals(file)]).toEqual([step, true]);
  const { result } = await verifyAffidavit(file, [keys.root.certificate], new Date());
  expect([step, result]).toEqual([step, 'valid']);
  return signal === 'SIGKILL' ? step : null;
}

describe('kill -9 of a worker that issues an affidavit', () => {
  it('leads to exactly one affidavit, whatever the step', async () => {
    let steps: string[] = [];
    // The first run creates the CRLs of the day, which later ones find.
    for (const _again of [1, 2]) {
      steps = [];
      await issue((await planned()).plan, (step) => steps.push(step));
    }
    const all = Array.from({ length: rounds }, () => [...steps.keys()]).flat();
    const some = [...steps.keys()].filter((at) => at % apart === 6);
    const due = rounds > 0 ? all : some;
    const killed = new Map<string, number>();
    const lane = async (): Promise<void> => {
      for (let at = due.shift(); at !== undefined; at = due.shift()) {
        const step = await killAt(at);
        if (step) killed.set(step, (killed.get(step) ?? 0) + 1);
      }
    };
    const { length } = due;
    await Promise.all(Array.from({ length: lanes }, lane));
    const count = [...killed.values()].reduce((sum, each) => sum + each, 0);
    if (rounds > 0) {
      for (const [step, times] of killed) process.stdout.write(`${times} ${step}\n`);
      process.stdout.write(`${count} of ${length} killed, at ${steps.length} steps\n`);
    }
    // When statements are sent together, the last one of the batch may not be a point of the kill.
    expect(count).toBeGreaterThan(length * 0.9);
    for (const kind of ['sql', 'object', 'seal', 'tsa', 'pages']) {
      expect(steps.some((step) => step.startsWith(`${kind} `))).toBe(true);
    }
  }, 7_200_000);
});
