import { findApp } from '../../db/queries/credentials.ts';
import { findLink } from '../../db/queries/links.ts';
import { Failure } from '../../workflows/failures.ts';
import { consentUpdate } from '../../workflows/trust-check/messages.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { change, type ChangeDeps } from './change.ts';
import { trustCheckContracts } from './contract.ts';
import { mustFindSession } from './find.ts';
import { presentSession } from './present.ts';

/**
 * Records consent to the terms as they stand now, and to which of the claims that were asked for may
 * be released; nothing is captured before it.
 */
export const consent = handler(trustCheckContracts.consent)(async (
  input,
  deps: ChangeDeps & Pick<Deps, 'sealer'>,
) => {
  const { id } = input.path;
  const session = await mustFindSession(deps, id, input.caller, input.authorize);
  const app = await findApp(deps.db, session.app_id);
  if (!app) throw new Failure('not_found');
  const { accepted, tos_version, claims } = input.body;
  if (accepted && tos_version !== app.tos_version) {
    throw new Failure('tos_changed', { extra: { tos_version: app.tos_version } });
  }
  const link = await findLink(deps.db, session.link_uuid);
  const asked = link?.requested_claims ?? [];
  const given = { accepted, tos_version, claims: claims.filter((name) => asked.includes(name)) };
  const changed = await change(deps, id, consentUpdate, [given], `consent/${id}/${accepted}`);
  return { status: 200, body: await presentSession(deps, changed) };
});
