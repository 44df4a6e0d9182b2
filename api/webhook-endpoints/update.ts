import { updateEndpoint } from '../../db/queries/webhooks.ts';
import { Failure } from '../../workflows/failures.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import { changesOf } from '../accounts/access/changes.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { checkTarget } from '../http/fields/check-target.ts';
import { auditedEndpoint, auditedFields } from './audited.ts';
import { webhookEndpointContracts } from './contract.ts';
import { findEndpointOrThrow, lockEndpointOrThrow } from './find.ts';
import { presentEndpoint } from './present.ts';

type UpdateDeps = Pick<Deps, 'db' | 'settings' | 'outside'>;

/** Changes only the given members. */
export const update = handler(webhookEndpointContracts.update)(async (input, deps: UpdateDeps) => {
  const { path, body } = input;
  input.authorizeIn(path.account_id);
  await findEndpointOrThrow(deps.db, path, input);
  if (body.url !== undefined) await checkTarget(deps, body.url, 'url');
  const row = await withAccountTransaction(
    deps,
    input,
    path.account_id,
    async ({ tx, note, reaches }) => {
      const before = await lockEndpointOrThrow(tx, path, { reaches });
      const after = await updateEndpoint(tx, path.endpoint_id, body, input.call.now);
      if (!after) throw new Failure('not_found');
      const changes = changesOf(auditedEndpoint(before), auditedEndpoint(after), auditedFields);
      const isMoved = before.url !== after.url;
      if (changes || isMoved) {
        await note('webhook_endpoint.updated', path.endpoint_id, {
          ...changes,
          url_changed: isMoved,
        });
      }
      return after;
    },
  );
  return { status: 200, body: presentEndpoint(row) };
});
