import { expect, it } from 'vitest';
import { call, newLink } from '../../../support/http/client.ts';
import { newKey } from '../../../support/people/samples.ts';

it('links.raw shows expected values to MEMBER and above, and null to a VIEWER', async () => {
  const matching_params = { full_name: 'Erika Mustermann' };
  const path = `/v2/raw/${await newLink({ matching_params })}`;
  const read = async (role: 'MEMBER' | 'VIEWER') =>
    call('GET', path, { token: await newKey([role]) });
  expect((await read('MEMBER')).body['matching_params']).toEqual(matching_params);
  const viewed = await read('VIEWER');
  expect([viewed.status, viewed.body['matching_params']]).toEqual([200, null]);
});
