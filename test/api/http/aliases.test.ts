import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enrolledPhone, pairedSession, signedCall } from '../../support/checks/phone.ts';
import { call, newLink, type Answer, type CallOptions } from '../../support/http/client.ts';
import { newMeetingLink } from '../../support/people/meetings.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign } = ownPlatform();
const seed = 20_261_122;
const unknownUuid = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

/** One call in the form of an alias. */
type Ask = readonly [method: string, path: string, options: CallOptions];

const meaning = [
  'content-type',
  'cache-control',
  'content-security-policy',
  'etag',
  'referrer-policy',
  'vary',
  'www-authenticate',
  'x-ignored-fields',
];

/** Returns what two aliases must have in common: everything that is not generated per call. */
function told({ status, headers, text, body }: Answer): unknown {
  const anew = /\b(req|pt)_[\w-]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-[\d-]+T[\d:.]+Z/g;
  const meeting = /"meeting_id":"([A-Za-z0-9_-]{22})"/.exec(text)?.[1];
  const plain = (of: string) =>
    of.replaceAll(anew, '…').replaceAll(meeting ?? '\0', '(the meeting)');
  const faults = body['detail'];
  return {
    status,
    headers: meaning.map((name) => headers.get(name)),
    location: plain(headers.get('location') ?? ''),
    // Aliases differ only in where a parameter is.
    content: Array.isArray(faults)
      ? faults
          .map((fault) => JSON.stringify(fault).replace(/"loc":\["(path|query)"/, '"loc":["…"'))
          .toSorted()
      : plain(text),
  };
}

/** Compares every alias of a group with the first, for the same random calls. */
async function holdAlike<Case>(
  cases: fc.Arbitrary<Case>,
  numRuns: number,
  aliases: readonly ((one: Case) => Promise<Answer | null>)[],
): Promise<void> {
  const statuses = new Set<number>();
  const property = fc.asyncProperty(cases, async (one) => {
    const answers: Answer[] = [];
    for (const ask of aliases) {
      const answer = await ask(one);
      if (answer) answers.push(answer);
    }
    const [first, ...others] = answers.map(told);
    expect(others.length).toBeGreaterThan(0);
    for (const other of others) expect(other).toEqual(first);
    for (const { status } of answers) statuses.add(status);
  });
  await fc.assert(property, { seed, numRuns, endOnFailure: true });
  // The calls must include successes and refusals, otherwise they prove little.
  expect([...statuses].filter((status) => status < 400)).not.toEqual([]);
  expect([...statuses].filter((status) => status >= 400)).not.toEqual([]);
}

const send = ([method, path, options]: Ask): Promise<Answer> => call(method, path, options);

/** Returns the valid value most of the time, so that many calls succeed. */
const mostly = <T>(right: T, ...wrong: readonly T[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(right) },
    { weight: 1, arbitrary: fc.constantFrom(...wrong) },
  );

const { api_key: key, member } = own;
const tokens = mostly(key, member.session_token, foreign.api_key, 'nonsense', '');
const apps = mostly(own.app_id, foreign.app_id, 'no-such-app', 'UPPER');
const bearing = (token: string) => (token === '' ? {} : { token });
const content = fc.record(
  {
    title: mostly<unknown>('A title', '', 5, 'x'.repeat(201)),
    required_proofs: mostly<unknown>(['phone'], [], ['nope'], 'phone'),
    metadata: mostly<unknown>({ a: 'b' }, { a: 1 }, []),
    expires_at: mostly<unknown>('2090-01-01T00:00:00Z', '2000-01-01T00:00:00Z', 'soon'),
    titel: fc.constant('unknown'),
  },
  { requiredKeys: [] },
);

describe('every alias answers the same random calls alike:', () => {
  it('links.create', async () => {
    const cases = fc.record({
      token: tokens,
      app: apps,
      type: mostly('invite', 'import', 'trust_check', 'call', 'nope'),
      body: content,
      more: mostly('', '&colour=red', '&link_type=call'),
    });
    type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;
    const put = (path: string, { token, body, more }: Case) =>
      send(['PUT', `${path}${more}`, { ...bearing(token), body }]);
    await holdAlike(cases, 24, [
      (one) => put(`/v2/link/${one.app}?link_type=${one.type}`, one),
      (one) => put(`/v2/${one.app}?link_type=${one.type}`, one),
      async (one) =>
        one.more.includes('link_type')
          ? null
          : put(`/v2/link/type/${one.type}?app_id=${one.app}`, one),
      ...['invite', 'import'].map(
        (type) => async (one: Case) =>
          one.type === type ? put(`/v2/link/${type}/${one.app}?link_type=${type}`, one) : null,
      ),
    ]);
  });

  /** Create a link for each alias, in the requested state. */
  const links = {
    own: () => newLink({ title: 'before' }),
    unknown: () => Promise.resolve(unknownUuid),
    deleted: async () => {
      const uuid = await newLink();
      await call('DELETE', `/v2/${uuid}`, { token: key });
      return uuid;
    },
  };
  const linkNames = mostly<keyof typeof links>('own', 'unknown', 'deleted');
  const forms: readonly ((app: string, uuid: string) => string)[] = [
    (app, uuid) => `/v2/link/${app}/${uuid}`,
    (app, uuid) => `/v2/${app}/${uuid}`,
    (app, uuid) => `/v2/${uuid}?app_id=${app}`,
  ];

  it.each(['DELETE', 'PATCH'])('%s of a link', async (method) => {
    const cases = fc.record({
      token: tokens,
      app: apps,
      link: linkNames,
      tag: mostly('"1"', '"7"', '*'),
      body: method === 'PATCH' ? content : fc.constant(undefined),
    });
    await holdAlike(
      cases,
      16,
      forms.map((form) => async ({ token, app, link, tag, body }) => {
        const path = form(app, await links[link]());
        return send([method, path, { ...bearing(token), body, headers: { 'if-match': tag } }]);
      }),
    );
  });

  it('links.preview', async () => {
    const uuid = await newLink({ title: 'A title' });
    const cases = fc.record({
      app: apps,
      link: mostly(uuid, unknownUuid),
      format: fc.constantFrom('A', 'J', 'S', 'H', 'X'),
      headers: fc.record(
        {
          accept: fc.constantFrom('application/json', 'application/json;q=0', 'image/*', '*/*'),
          'user-agent': fc.constantFrom('Mozilla/5.0 (iPhone) Mobile/15E148', 'curl/8'),
          'sec-fetch-dest': fc.constantFrom('image', 'document'),
        },
        { requiredKeys: [] },
      ),
    });
    await holdAlike(cases, 40, [
      ({ app, link, format, headers }) =>
        send(['GET', `/v2/${app}/${link}?format_type=${format}`, { headers }]),
      ({ app, link, format, headers }) =>
        send(['GET', `/v2/${link}?app_id=${app}&format_type=${format}`, { headers }]),
      ({ app, link, format, headers }) =>
        send(['GET', `/v2/preview/${format}/${app}/${link}`, { headers }]),
    ]);
  });

  it('links.complete', async () => {
    const [uuid, bare] = [await newLink({ required_proofs: ['device'] }), await newLink()];
    const device = await enrolledPhone();
    await pairedSession(device, uuid);
    const cases = fc.record({
      app: apps,
      link: mostly(uuid, bare, unknownUuid),
      format: mostly('A', 'J', 'S', 'X'),
      body: mostly<unknown>(
        {},
        { link_session_id: `tc_${'0'.repeat(26)}` },
        { link_session_id: 5 },
        { raw_jwt: 'nonsense' },
        { nonce: 'unknown' },
      ),
      isAttested: mostly(true, false),
    });
    type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;
    const post = (path: string, { body, isAttested }: Case) =>
      isAttested ? signedCall(device, 'POST', path, { body }) : send(['POST', path, { body }]);
    await holdAlike(cases, 16, [
      (one) => post(`/v2/${one.app}/${one.link}?format_type=${one.format}`, one),
      (one) => post(`/v2/${one.link}?app_id=${one.app}&format_type=${one.format}`, one),
    ]);
  });

  // Link routes that begin with a parameter match UUIDs only (docs/decisions/005-requests.md).
  it.each(['%20', 'no-such-link', unknownUuid.slice(1)])(
    'no short form accepts the malformed link id %s',
    async (link) => {
      for (const method of ['DELETE', 'PATCH', 'GET', 'POST']) {
        for (const path of [`/v2/${own.app_id}/${link}`, `/v2/${link}?app_id=${own.app_id}`]) {
          const { status, body } = await call(method, path, { token: key });
          expect([method, path, status, body['code']]).toEqual([method, path, 404, 'not_found']);
        }
      }
    },
  );

  it.each([
    ['DELETE', `/v2/link/${own.app_id}/%20`, {}],
    ['PATCH', `/v2/link/${own.app_id}/%20`, { body: {} }],
    ['GET', `/v2/preview/J/${own.app_id}/%20`, {}],
  ])('%s %s returns 422 for a malformed link id', async (method, path, options) => {
    const { status, body } = await call(method, path, { token: key, ...options });
    expect([status, body['detail']]).toMatchObject([
      422,
      [{ loc: ['path', 'link_uuid'], type: 'invalid_format' }],
    ]);
  });

  it('meetings.start', async () => {
    const places = {
      meeting: () => newMeetingLink(),
      check: () => newLink(),
      paused: async () => {
        const uuid = await newMeetingLink();
        await call('PATCH', `/v2/${uuid}`, { token: key, body: { paused: true } });
        return uuid;
      },
      unknown: () => Promise.resolve(unknownUuid),
    };
    const cases = fc.record({
      token: tokens,
      app: apps,
      place: mostly<keyof typeof places>('meeting', 'check', 'paused', 'unknown'),
      body: fc.record(
        {
          role: mostly<unknown>('host', 'participant', 'boss'),
          display_name: mostly<unknown>('A host', '', 5),
          platform: mostly<unknown>('sandbox', 'conf-a', 'conf-b', 'conf-c'),
        },
        { requiredKeys: [] },
      ),
    });
    await holdAlike(
      cases,
      12,
      ['start', 'conf-a/start', 'conf-b/start'].map((form) => async (one) => {
        const path = `/v2/${form}/${await places[one.place]()}?app_id=${one.app}`;
        return send(['POST', path, { ...bearing(one.token), body: one.body }]);
      }),
    );
  });

  it('keys.iosAssociation, also by its `apple` name', async () => {
    for (const headers of [{}, { 'if-none-match': '"other"' }, { 'if-none-match': '*' }]) {
      // Another test file may add an app between two calls.
      await eventually('one answer under all four', async () => {
        const answers: string[] = [];
        for (const name of ['ios', 'apple']) {
          for (const place of ['/.well-known', '']) {
            const path = `${place}/${name}-app-site-association`;
            answers.push(JSON.stringify(told(await call('GET', path, { headers }))));
          }
        }
        return new Set(answers).size === 1;
      });
    }
  });
});
