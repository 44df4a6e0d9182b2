import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { sealAffidavit } from '../../../activities/affidavit/seal.ts';
import { createTimestampAuthority } from '../../../activities/affidavit/timestamp.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../activities/certificates/dev-pki.ts';
import { loadKeys } from '../../../activities/certificates/load-keys.ts';
import { lightContent } from './contents.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-in-force-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('an affidavit is valid until the first certificate of its time stamp ends', async () => {
  await createDevPki(directory, { now: new Date(), baseUrl: 'http://127.0.0.1:8080' });
  const keys = loadKeys(directory);
  const authority = createTimestampAuthority(keys.tsa, () => new Date(), randomBytes);
  const sealed = await sealAffidavit(await renderAffidavit(lightContent), keys.seal, authority);
  const judge = (ms: number) => verifyAffidavit(sealed, [keys.root.certificate], new Date(ms));
  const endsMs = Date.parse(keys.tsa.certificate.validTo);
  // The seal's own certificate may end before: the stamp tells that it was made in its time.
  expect(Date.parse(keys.seal.certificate.validTo)).toBeLessThan(endsMs);
  const before = await judge(endsMs - 1);
  // In its years nothing but the lists of that day would be missing.
  expect(before.checks.filter(({ result }) => result === 'failed')).toEqual([
    { name: 'standing', result: 'failed', detail: 'revocation_unknown' },
  ]);
  const after = await judge(endsMs);
  expect(after).toMatchObject({ result: 'indeterminate', reason_code: 'timestamp_expired' });
  expect(after.checks.filter(({ result }) => result === 'failed')).toEqual([
    { name: 'in_force', result: 'failed', detail: 'timestamp_expired' },
    { name: 'standing', result: 'failed', detail: 'revocation_unknown' },
  ]);
  // The root is right: what came before says why nothing can be said of it.
  const early = await judge(Date.parse('2020-01-01T00:00:00Z'));
  expect(early.reason_code).toBe('timestamp_in_future');
  expect(early.checks.find(({ name }) => name === 'in_force')).toEqual({
    name: 'in_force',
    result: 'skipped',
    detail: 'not judged, since a check before it failed',
  });
});
