import { setImmediate as turn } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { eventually } from '../platform/harness.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import { call } from './client.ts';

/**
 * After each file, removes the webhook endpoints in the accounts of this process. Otherwise every
 * later event would be delivered to them, and retried, since no server answers there any more.
 */
afterAll(async () => {
  // Lets the process notice connections that the API closed during a long synchronous loop.
  await turn();
  const { own, foreign } = ownPlatform();
  for (const { account_id: account, api_key: token } of [own, foreign]) {
    const at = `/v2/accounts/${account}/webhook-endpoints`;
    // Even if the API is disturbed during this file, it recovers.
    const items = await eventually(`the endpoints of ${account}`, async () => {
      const { status, body } = await call('GET', `${at}?page_size=100`, { token });
      return status === 200 && (body['items'] as { endpoint_id: string }[]);
    });
    for (const { endpoint_id: id } of items) {
      await call('DELETE', `${at}/${id}`, { token });
    }
  }
});
