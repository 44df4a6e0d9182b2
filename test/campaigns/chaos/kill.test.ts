import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlatform, type TestPlatform } from '../../support/platform/harness.ts';
import { rehearse, runVolleys, type Planned, type Rehearsal } from './campaign.ts';
import { cutUpload } from './cut-upload.ts';
import { openField, type Field } from './field.ts';
import { faultsOf } from './outcome.ts';
import type { VolleyResult } from './volley.ts';

/** Checks that the worker must at least be running when it is killed. */
const runningChecksMin = 10;
let directory = '';
let platform: TestPlatform;
let field: Field;
let rehearsal: Rehearsal;
let results: readonly VolleyResult[];

/** A kill in the middle of every step for each part, and the special moments of each. */
const plan: readonly Planned[] = [
  { part: 'postgres', moment: { kind: 'stored' } },
  { part: 'postgres', moment: { kind: 'away' } },
  { part: 'postgres', moment: { kind: 'share', share: 0.5 } },
  // The work is done, and its answer is lost.
  { part: 'api', moment: { kind: 'share', share: 1 } },
  { part: 'api', moment: { kind: 'share', share: 0.5 } },
  { part: 'worker', moment: { kind: 'stored' } },
  { part: 'worker', moment: { kind: 'share', share: 0.5 } },
];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-chaos-'));
  platform = await createPlatform(directory, () => undefined);
  field = await openField(platform, platform.facts.own);
  rehearsal = await rehearse(field);
  results = await runVolleys(field, rehearsal, plan, () => undefined);
}, 900_000);
afterAll(async () => {
  await field.stop();
  await platform.stop();
  await rm(directory, { recursive: true, force: true });
});

describe('kill -9', () => {
  it('hits API, worker and PostgreSQL at every step of a check with three proofs', () => {
    expect(rehearsal.steps.filter((step) => step.startsWith('proofs/'))).toHaveLength(3);
    for (const part of ['api', 'worker', 'postgres'] as const) {
      const hits = results.flatMap(({ hits: each }) => each).filter((hit) => hit.part === part);
      const steps = new Set(hits.map(({ step }) => step));
      expect([part, rehearsal.steps.filter((step) => !steps.has(step))]).toEqual([part, []]);
    }
    expect(results.flatMap(({ hits }) => hits).filter(({ fault }) => fault !== null)).toEqual([]);
  });

  it('leaves the same as an undisturbed check: one affidavit, one code, each event once', async () => {
    expect(await faultsOf(field, rehearsal)).toEqual([]);
  }, 900_000);

  it('of the worker during more than ten checks leaves one affidavit each', async () => {
    const amid = results.findLast(({ hits: [first] }) => first?.part === 'worker');
    expect(amid?.hits.length).toBeGreaterThanOrEqual(runningChecksMin);
    const { rows } = await field.db.query(
      'SELECT count(*)::int AS count, count(DISTINCT link_session_id)::int AS sessions FROM affidavits',
    );
    const count = field.checks.length;
    expect(rows).toEqual([{ count, sessions: count }]);
  });

  it('of the API between an uploaded object and its row leaves no object', async () => {
    const step = rehearsal.steps.find((each) => each.startsWith('evidence/')) ?? '';
    expect(await cutUpload(field, step)).toEqual({
      before: 1,
      rows: 0,
      swept: 0,
      status: 'passed',
    });
  }, 300_000);
});
