import { expect, test } from 'vitest';
import { createDocumentJudge } from '../../../../activities/proofs/document/proof.ts';
import { ThreadLost } from '../../../../activities/runtime/threads/thread-lost.ts';
import { readEvidenceFile } from '../../../../domain/judging/files.ts';
import { documentRules } from '../../../../domain/proofs/document/rules.ts';
import { mrzOf } from '../../../../simulator/passport/mrz.ts';
import type { HeavyWork } from '../../../../workers/threads/heavy-work.ts';
import { createThreads } from '../../../../workers/threads/pool.ts';
import { havingLost } from '../../../support/checks/losing.ts';
import { judgedAt } from '../../../support/fixtures/documents/judge.ts';
import { holder } from './holder.ts';

const lines = mrzOf({ holder, documentNumber: 'L898902C3', expiresOn: '2030-04-15' });
const given = (front: Uint8Array) => ({
  input: { front: 'ev_front' },
  files: new Map([['ev_front', front]]),
  now: judgedAt,
});

test('a specimen passes when development roots are trusted, and its facts say so', async () => {
  const front = new Uint8Array(9);
  const side = { refused: null, barcode: null, refusal: 'unreadable', isSeen: true } as const;
  const reading = { front: { ...side, mrz: { lines }, words: [] }, back: null };
  const heavy = {
    takeDocument: () => Promise.resolve({ images: { front, back: undefined }, reading }),
  };
  const judged = (takesSpecimens: boolean) =>
    createDocumentJudge({ heavy, takesSpecimens }).judgeAhead(given(front));
  const [there, here] = await Promise.all([judged(false), judged(true)]);
  expect(there).toMatchObject({
    outcome: 'rejected',
    reason_code: 'country_unknown',
    retryable: false,
    evidenceFiles: [{ policy: {} }],
  });
  expect(there.verdict?.facts).not.toHaveProperty('development_root');
  expect(here).toMatchObject({ outcome: 'passed', verdict: { facts: { development_root: true } } });
  const file = Buffer.from(JSON.stringify({ images: [], ...here.evidenceFiles?.[0] }));
  const policy = { rules: documentRules, development: true };
  expect(readEvidenceFile(file)).toMatchObject({ policy });
});

test('images that end three threads are unreadable, while a blank one is read', async () => {
  const entry = new URL('ending-thread.ts', import.meta.url);
  const heavy = createThreads({ threadsMax: 1, onBroken: () => undefined, entry });
  const lost = new ThreadLost('late', { cause: null, isLate: true });
  const late = { takeDocument: () => Promise.reject(lost) };
  const broken = { takeDocument: () => heavy.takeDocument({ front: Buffer.from('x') }) };
  const tried = (before: number, on: Pick<HeavyWork, 'takeDocument'> = heavy) => {
    const judge = createDocumentJudge({ heavy: on, takesSpecimens: false });
    return havingLost(before, () => judge.judgeAhead(given(Buffer.from('x'))));
  };
  await expect(tried(1)).rejects.toBeInstanceOf(ThreadLost);
  expect(await tried(2)).toEqual({
    outcome: 'rejected',
    reason_code: 'unreadable',
    retryable: true,
    provider: 'images',
  });
  // Lost threads of a busy machine, or of one that reads nothing, are not the fault of an image.
  await expect(tried(9, late)).rejects.toBe(lost);
  await expect(tried(9, broken)).rejects.toBeInstanceOf(ThreadLost);
  await heavy.stop();
});
