import { randomBytes } from 'node:crypto';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { validationDataOf } from '../../../activities/affidavit/validation-data.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import type { AffidavitContent } from '../../../domain/affidavit/content.ts';
import { archiveAffidavit } from '../../../domain/pdf/signature/archive.ts';
import { sealAffidavit } from '../../../domain/pdf/signature/seal.ts';
import { createTimestampAuthority } from '../../../domain/pki/timestamps/sign-token.ts';
import { denseContent, lightContent } from '../../support/fixtures/affidavits/contents.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import type { Bench, BenchContext } from './measure/bench.ts';
import type { BenchResult } from './measure/judge.ts';
import { alternate } from './measure/rounds.ts';
import { median } from './measure/statistics.ts';

/**
 * P6: making an affidavit (PAdES B-LTA), compared with rendering its pages and three bare
 * signatures: of the seal and of both time stamps. Then its verification, which renders its pages
 * again.
 */
export const affidavitBench: Bench = { id: 'P6', rounds: 9, run };

const timesEach = 10;
const ratioMax = 2;
const verifyMsMax = 50;
const lightBytesMax = 120_000;

async function run({ platform, pace }: BenchContext): Promise<BenchResult> {
  const { seal, tsa, root } = platform.keys;
  const db = openTestDb(platform.facts.databaseUrl);
  const clock = (): Date => new Date();
  const authority = createTimestampAuthority(tsa, clock, randomBytes);
  const data = await validationDataOf(db, platform.keys, clock());
  await db.end();
  if (!data) throw new Error('there are no CRLs to archive with');
  const make = async (content: AffidavitContent): Promise<Buffer> =>
    archiveAffidavit(
      await sealAffidavit(await renderAffidavit(content), seal, authority),
      data,
      authority,
    );
  const digest = randomBytes(32);
  const bare = async (): Promise<void> => {
    await renderAffidavit(lightContent);
    for (const signer of [seal, tsa, tsa]) await signer.sign(digest);
  };
  const [light, dense] = [await make(lightContent), await make(denseContent)];
  const verify = async (): Promise<void> => {
    const { result } = await verifyAffidavit(light, [root.certificate], clock());
    if (result !== 'valid') throw new Error('an affidavit that must verify does not');
  };
  const floor = (): Promise<number> => msEach(bare);
  const made = await alternate({ floor, candidate: () => msEach(() => make(lightContent)) }, pace);
  const judged = await alternate({ floor, candidate: () => msEach(verify) }, pace);
  return {
    id: 'P6',
    title: 'affidavit',
    extent: `${made.floor.length} rounds of ${timesEach}, a file of ${light.length} bytes`,
    measures: [
      { name: 'made as B-LTA', unit: 'ms', ...made, goal: { of: 'ratio', max: ratioMax } },
      { name: 'verified', unit: 'ms', ...judged, goal: { of: 'candidate', max: verifyMsMax } },
    ],
    counts: [
      { name: 'one proof', value: light.length, unit: 'bytes', max: lightBytesMax },
      {
        name: 'three proofs, sixty events',
        value: dense.length,
        unit: 'bytes',
        max: lightBytesMax,
      },
    ],
  };
}

async function msEach(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < timesEach; time += 1) {
    const began = performance.now();
    await act();
    times.push(performance.now() - began);
  }
  return median(times);
}
