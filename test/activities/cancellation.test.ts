import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSendgridMailer } from '../../activities/delivery/mail/sendgrid.ts';
import { createSmtpMailer } from '../../activities/delivery/mail/smtp.ts';
import { createRefreshedCache } from '../../activities/identity/sso/refreshed-cache.ts';
import { readReference } from '../../activities/keys/custody/key-reference.ts';
import { openKeeper } from '../../activities/keys/custody/open-keeper.ts';
import { requestTimestamp } from '../../activities/keys/timestamps/request-timestamp.ts';
import { createHttpProvider } from '../../activities/proofs/face/provider/http.ts';
import { createRekognition } from '../../activities/proofs/face/provider/rekognition.ts';
import { deadline } from '../../activities/runtime/cancellation.ts';
import { createS3Store } from '../../activities/storage/s3.ts';
import { postToVendor } from '../../activities/vendors/post-to-vendor.ts';
import { fetchList } from '../../activities/vendors/published-lists.ts';
import { randomIds } from '../../db/ids.ts';
import { activityEnvironment } from '../support/checks/activity-environment.ts';
import { startSilentServer, type SilentServer } from '../support/stand-ins/silent-server.ts';
import { letter } from '../unit/mail/written-letters.ts';

/** Longer than a test may take, so that no request ends by its own timeout. */
const timeoutMs = 600_000;
const clock = (): Date => new Date();
const credentials = { accessKeyId: `AKIA${'5'.repeat(16)}`, secretAccessKey: 'secret' };
const from = 'check@trust.test';

type Request = (server: SilentServer) => Promise<unknown>;

const requests: readonly (readonly [string, Request])[] = [
  ['a vendor of phones', ({ url }) => postToVendor('vendor', url, timeoutMs, {})],
  ['the publisher of a list', ({ url }) => fetchList(url, 1_000)],
  ['the object store, for a file', ({ url }) => store(url).get('a')],
  [
    'the object store, with a file',
    ({ url }) =>
      store(url).put({
        key: 'a',
        body: Buffer.from('b'),
        contentType: 'text/plain',
        ifAbsent: true,
      }),
  ],
  [
    'Rekognition',
    ({ url }) =>
      createRekognition({ region: 'eu-west-1', credentials, url, timeoutMs }).result(
        randomIds.make('s'),
        'key',
      ),
  ],
  [
    'a face provider',
    ({ url }) => {
      const secret = `whsec_${randomBytes(24).toString('base64')}`;
      return createHttpProvider({ url, secret, ids: randomIds, clock, timeoutMs }).result('s', 'k');
    },
  ],
  [
    'AWS KMS',
    ({ url }) => {
      const keeper = openKeeper({ kms: { credentials, url, timeoutMs }, pkcs11: null });
      const arn = 'arn:aws:kms:eu-west-1:123456789012:key/a';
      return keeper.sign(readReference(`awskms:///${arn}`), randomBytes(32));
    },
  ],
  [
    'a time-stamping authority',
    ({ url }) => {
      const authority = { url, roots: [], timeoutMs, policy: null, credentials: null };
      const imprint = createHash('sha256').digest();
      return requestTimestamp(authority, imprint, { clock, randomBytes });
    },
  ],
];

const mails: readonly (readonly [string, Request])[] = [
  [
    'SendGrid',
    ({ url: baseUrl }) =>
      createSendgridMailer({ apiKey: 'SG.a.b', from, baseUrl, timeoutMs }).send(letter),
  ],
  [
    'a mail server',
    ({ port }) =>
      createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from, timeoutMs }).send(letter),
  ],
];

const store = (endpoint: string) =>
  createS3Store({
    endpoint,
    bucket: 'objects',
    region: 'eu-west-1',
    ...credentials,
    operationTimeoutMs: timeoutMs,
  });

describe('a canceled activity', () => {
  let server: SilentServer;
  beforeEach(async () => {
    server = await startSilentServer();
    // Some of these requests have a timeout that no option sets.
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await server.stop();
  });

  it.each(requests)('closes its request to %s', async (_name, request) => {
    const environment = activityEnvironment();
    const running = environment.run(() => request(server));
    await server.connected;
    environment.cancel();
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    await server.closed;
  });

  // The provider may have accepted it: the next attempt would send it again.
  it.each(mails)('does not abort a mail in flight to %s', async (_name, request) => {
    const environment = activityEnvironment();
    const running = environment.run(() => request(server));
    await server.connected;
    environment.cancel();
    const ended = running.then(
      () => 'ended',
      () => 'ended',
    );
    expect(await Promise.race([ended, sleep(200, 'in flight')])).toBe('in flight');
  });

  it('leaves a request that another activity waits for', async () => {
    const answered = Promise.withResolvers<string>();
    const asked: AbortSignal[] = [];
    const kept = createRefreshedCache(1, clock, () => {
      asked.push(deadline(timeoutMs));
      return answered.promise;
    });
    const [first, second] = [activityEnvironment(), activityEnvironment()];
    const both = [first, second].map((each) => each.run(() => kept.get('issuer', 1_000)));
    first.cancel();
    expect(asked.map(({ aborted }) => aborted)).toEqual([false]);
    answered.resolve('metadata');
    expect(await Promise.all(both)).toMatchObject([{ value: 'metadata' }, { value: 'metadata' }]);
  });
});
