import { Connection, Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import { searchAttributeKeys } from '../../workflows/search-attributes.ts';
import { trustCheckWorkflowId } from '../../workflows/trust-check/messages.ts';
import { beginSession, newLink } from '../client.ts';
import { eventually } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';

it('an ended check can be searched by every attribute there is', async () => {
  const session = await beginSession(await newLink(), 'mobile');
  await session.step('cancel');
  const connection = await Connection.connect({ address: ownPlatform().temporalAddress });
  const handle = new Client({ connection }).workflow.getHandle(trustCheckWorkflowId(session.id));
  const ended = await eventually('the end', async () => {
    const description = await handle.describe();
    return description.status.name === 'COMPLETED' && description;
  });
  await connection.close();
  const set = searchAttributeKeys.flatMap((key) =>
    ended.typedSearchAttributes.get(key) === undefined ? [] : [key.name],
  );
  expect(set).toEqual(searchAttributeKeys.map(({ name }) => name));
});
