import { expect, test } from 'vitest';
import { createDocumentJudge } from '../../../activities/document/proof.ts';
import { readEvidenceFile } from '../../../activities/evidence/file.ts';
import { attempt } from '../../../activities/threads/attempt.ts';
import { createThreads, ThreadLost } from '../../../activities/threads/pool.ts';
import { mrzOf } from '../../../cli/phone/mrz.ts';
import { judgedAt } from '../../documents/judge.ts';
import { holder } from './holder.ts';

const lines = mrzOf({ holder, documentNumber: 'L898902C3', expiresOn: '2030-04-15' });
const given = (front: Uint8Array) => ({
  input: { front: 'ev_front' },
  files: new Map([['ev_front', front]]),
  now: judgedAt,
});

test('a specimen passes where development roots are trusted, and its evidence says so', async () => {
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
  const file = Buffer.from(JSON.stringify(here.evidenceFiles?.[0]));
  expect(readEvidenceFile(file)).toMatchObject({ policy: { development: true } });
});

test('images that end their thread twice are unreadable', async () => {
  const entry = new URL('exiting-thread.ts', import.meta.url);
  const heavy = createThreads({ threadsMax: 1, onBroken: () => undefined, entry });
  const judge = createDocumentJudge({ heavy, takesSpecimens: false });
  const tried = (number: number) =>
    attempt.run(number, () => judge.judgeAhead(given(new Uint8Array(9))));
  await expect(tried(1)).rejects.toBeInstanceOf(ThreadLost);
  expect(await tried(2)).toEqual({
    outcome: 'rejected',
    reason_code: 'unreadable',
    retryable: true,
    provider: 'images',
  });
  await heavy.stop();
});
