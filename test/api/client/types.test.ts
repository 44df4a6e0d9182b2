import { describe, expect, expectTypeOf, it } from 'vitest';
import { createClient, type Client, type Event, type ResultOf } from '../../../client/index.ts';

// The compiler is the test: `npm run check` runs it. Few assertions run at run time.
const client = createClient({ baseUrl: 'http://127.0.0.1:9' });
type Links = Client['links'];
type Checks = Client['trustChecks'];

describe('the types of the client', () => {
  it('declare the parameters of operations', () => {
    expectTypeOf<Parameters<Links['create']>[0]['app_id']>().toEqualTypeOf<string>();
    type Body = NonNullable<Parameters<Links['create']>[0]['body']>;
    expectTypeOf<Body['title']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Body['required_proofs']>().toEqualTypeOf<
      readonly ('biometric' | 'device' | 'document' | 'nfc_passport' | 'phone')[] | undefined
    >();
    expectTypeOf<Parameters<Client['accounts']['get']>[0]>().toEqualTypeOf<{
      account_id: number;
    }>();
    type Token = Parameters<Client['session']['token']>[0]['body'];
    expectTypeOf<Token['grant_type']>().toEqualTypeOf<'jwt_exchange' | 'sso_exchange'>();
    expectTypeOf<Parameters<Checks['upload']>[0]['body']>().toEqualTypeOf<Uint8Array>();
    expectTypeOf<{ body: object }>().not.toExtend<Parameters<Links['create']>[0]>();
    expectTypeOf<{ account_id: string }>().not.toExtend<Parameters<Client['accounts']['get']>[0]>();
  });

  it('declare the results of operations', () => {
    expectTypeOf<ResultOf<'links.create'>['link_uuid']>().toEqualTypeOf<string>();
    expectTypeOf<ResultOf<'links.create'>['expires_at']>().toEqualTypeOf<string | null>();
    expectTypeOf<Awaited<ReturnType<Checks['begin']>>['check_token']>().toEqualTypeOf<string>();
    expectTypeOf<ResultOf<'keys.trustBundle'>>().toEqualTypeOf<Response>();
    expectTypeOf<ResultOf<'logs.affidavit'>>().toEqualTypeOf<Response>();
    expectTypeOf<ResultOf<'mail.events'>>().toEqualTypeOf<undefined>();
    expectTypeOf<ResultOf<'system.readyz'>['checks']>().toEqualTypeOf<Record<string, boolean>>();
    expectTypeOf<Extract<ResultOf<'links.preview'>, Response>>().toEqualTypeOf<Response>();
    expectTypeOf<
      Exclude<ResultOf<'links.preview'>, Response>['actionable']
    >().toEqualTypeOf<boolean>();
  });

  it('declare iterators only for lists', () => {
    type Item<T> = T extends AsyncIterable<infer Each> ? Each : never;
    type Listed = Item<ReturnType<Links['list']['each']>>;
    expectTypeOf<Listed>().toEqualTypeOf<ResultOf<'links.list'>['items'][number]>();
    expectTypeOf<Item<ReturnType<Client['events']['list']['follow']>>>().toEqualTypeOf<Event>();
    expectTypeOf<Links['list']>().not.toHaveProperty('follow');
    expectTypeOf<Links['create']>().not.toHaveProperty('each');
    expectTypeOf<Client['logs']['continuity']>().not.toHaveProperty('each');
    expect(client.links.list.each({ account_id: 1, app_id: 'an-app' })).toHaveProperty('next');
  });

  it('contain only documented operations', () => {
    expectTypeOf<Client>().not.toHaveProperty('codec');
    expectTypeOf<Client['system']>().not.toHaveProperty('outbox');
    expect(Object.keys(client)).not.toContain('codec');
  });
});
