import { setImmediate as turn } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { eventually } from '../platform/harness.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import { call } from './client.ts';

/**
 * After each file: what listens in the accounts of this process is removed. Every later event of
 * them would be delivered to it, and again, since nobody answers there any more.
 */
afterAll(async () => {
  // Connections that the API has closed while a long loop ran here are seen to be closed.
  await turn();
  const { own, foreign } = ownPlatform();
  for (const { account_id: account, api_key: token } of [own, foreign]) {
    const at = `/v2/accounts/${account}/webhook-endpoints`;
    // Whatever the API is put through beside this file, it comes back.
    const items = await eventually(`the endpoints of ${account}`, async () => {
      const { status, body } = await call('GET', `${at}?page_size=100`, { token });
      return status === 200 && (body['items'] as { endpoint_id: string }[]);
    });
    for (const { endpoint_id: id } of items) {
      await call('DELETE', `${at}/${id}`, { token });
    }
  }
});
