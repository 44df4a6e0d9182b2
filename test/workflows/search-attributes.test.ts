import { expect, it } from 'vitest';
import { affidavitWorkflowId } from '../../workflows/issue-affidavit/messages.ts';
import {
  accountIdKey,
  appIdKey,
  linkUuidKey,
  searchAttributeKeys,
} from '../../workflows/search-attributes.ts';
import { trustCheckWorkflowId } from '../../workflows/trust-check/messages.ts';
import { beginSession, newLink, passedSession, withAffidavit } from '../support/http/client.ts';
import { eventually } from '../support/platform/harness.ts';
import { connectClient } from '../support/platform/temporal-client.ts';

it('an ended check can be found by every search attribute', async () => {
  const session = await beginSession(await newLink(), 'mobile');
  await session.step('cancel');
  const client = await connectClient();
  const handle = client.workflow.getHandle(trustCheckWorkflowId(session.id));
  const ended = await eventually('the end', async () => {
    const description = await handle.describe();
    return description.status.name === 'COMPLETED' && description;
  });
  await client.connection.close();
  const set = searchAttributeKeys.flatMap((key) =>
    ended.typedSearchAttributes.get(key) === undefined ? [] : [key.name],
  );
  expect(set).toEqual(searchAttributeKeys.map(({ name }) => name));
});

it('an affidavit has its account, app and link as search attributes', async () => {
  const done = await withAffidavit(await passedSession());
  const { account_id, app_id, link_uuid, affidavit } = done.body;
  const id = affidavitWorkflowId(String(Object(affidavit).affidavit_id));
  const client = await connectClient();
  const { typedSearchAttributes: found } = await client.workflow.getHandle(id).describe();
  await client.connection.close();
  const carried = [accountIdKey, appIdKey, linkUuidKey].map((key) => found.get(key));
  expect(carried).toEqual([String(account_id), app_id, link_uuid]);
});
