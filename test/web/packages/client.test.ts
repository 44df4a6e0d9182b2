import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import {
  compile,
  expectRefused,
  installOutside,
  nodesHere,
  packedOnce,
  root,
  run,
  type Outside,
} from './outside.ts';

const { baseUrl, own } = ownPlatform();

const program = `
import { ApiError, apiVersion, createClient } from '@trustcheck/client';

const { TRUSTCHECK_URL: baseUrl = '', TRUSTCHECK_KEY: token = '', TRUSTCHECK_APP: app_id = '' } = process.env;
const client = createClient({ baseUrl, token });
const link = await client.links.create({
  app_id,
  body: { required_proofs: ['phone'], title: 'Größe ✓', metadata: { order: '7' } },
});
const refused = await client.links
  .create({ app_id, body: { required_proofs: ['nonsense'] } as never })
  .catch((error: unknown) => (error instanceof ApiError ? [error.status, error.faults.length] : []));
const gone = await client.links
  .remove({ app_id: 'no-such-app', link_uuid: link.link_uuid })
  .catch((error: unknown) => (error instanceof ApiError ? error.code : ''));
const created = client.events.list.follow({ after: '0', types: 'link.created' });
let seen = '';
for await (const event of created) {
  seen = event.object_id;
  if (seen === link.link_uuid) break;
}
console.log(JSON.stringify({ title: link.title, refused, gone, seen: seen === link.link_uuid, apiVersion }));
`;

const usage = `
import { createClient, verifyWebhook, type Event, type FailureCode, type ResultOf } from '@trustcheck/client';

const client = createClient({ baseUrl: 'https://trust.example.com', token: 'tk_live_1' });
const check = await client.trustChecks.get({ id: 'tc_1' });
const status: 'passed' | string = check.status;
const proofs = ['phone', 'document'] as const;
const link: ResultOf<'links.create'> = await client.links.create({
  app_id: 'shop',
  body: { required_proofs: proofs },
});
for await (const each of client.trustChecks.list.each({})) each.link_session_id.toUpperCase();
const code: FailureCode = 'already_begun';
await client.trustChecks.upload({ id: 'tc_1', name: 'front.jpg', body: new Uint8Array(3) });
export { status, link, code, verifyWebhook };
export type { Event };
`;

/** Uses a proof type, a body and an operation that do not exist. */
const misuse = `
import { createClient } from '@trustcheck/client';
const client = createClient({ baseUrl: 'https://trust.example.com', token: 'tk_live_1' });
await client.links.create({ app_id: 'shop', body: { required_proofs: ['voice'] } }); // refused
await client.links.create({ body: {} }); // refused
await client.links.burn({}); // refused
`;

/** Asserts that the types of each operation agree between the sources and the package. */
const agreement = (ours: string, theirs: string): string => `
import type * as Ours from ${JSON.stringify(ours)};
import type * as Theirs from ${JSON.stringify(theirs)};
type None<T extends never> = T;
type Id = Ours.OperationId;
// Digits can be sent as text or as a number.
type Compared = Exclude<Id, 'email.revoke'>;
export type Missing = None<Exclude<Id, Theirs.OperationId> | Exclude<Theirs.OperationId, Id>>;
export type Results = None<
  { [I in Id]: Theirs.ResultOf<I> extends Ours.ResultOf<I> ? never : I }[Id]
>;
export type Given = None<
  { [I in Compared]: Theirs.Params<I> extends Partial<Ours.Params<I>> ? never : I }[Compared]
>;
`;

describe('the package @trustcheck/client', { timeout: 300_000 }, () => {
  let outside: Outside;
  beforeAll(async () => {
    outside = await installOutside(['client']);
    await outside.write('program.ts', program);
    await outside.write('usage.ts', usage);
  }, 300_000);
  afterAll(() => outside.end());

  it('calls the service from each installed Node version', async () => {
    // The same program without its types, as a compiler leaves it.
    const plain = program.replaceAll(': unknown', '').replaceAll(' as never', '');
    await outside.write('program.mjs', plain);
    const env = {
      PATH: process.env['PATH'],
      TRUSTCHECK_URL: baseUrl,
      TRUSTCHECK_KEY: own.api_key,
      TRUSTCHECK_APP: own.app_id,
    };
    for (const node of await nodesHere()) {
      const printed = await run(node, ['program.mjs'], outside.folder, env);
      expect(JSON.parse(printed), node).toMatchObject({
        title: 'Größe ✓',
        refused: [422, 1],
        gone: 'not_found',
        seen: true,
      });
    }
  });

  it.each(['nodenext', 'bundler'] as const)('exports types for %s', async (resolution) => {
    await compile(outside, 'usage.ts', resolution);
    await expectRefused(outside, 'misuse.ts', misuse, resolution);
  });

  it('exports the same types as the sources', async () => {
    const built = join(await packedOnce(), 'client/index.js');
    await outside.write('agreement.ts', agreement(join(root, 'client/index.ts'), built));
    const typeRoots = [join(root, 'node_modules/@types')];
    const settings = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { exactOptionalPropertyTypes: false, typeRoots },
      include: [],
      files: ['agreement.ts'],
    };
    await outside.write('agreement.json', JSON.stringify(settings));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [compiler, '-p', 'agreement.json'], outside.folder);
  });
});
