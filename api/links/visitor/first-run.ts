import { findLink } from '../../../db/queries/links.ts';
import { takeOpened } from '../../../db/queries/opened-imports.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { linkUrl } from '../present.ts';
import { linkVisitorContracts } from './contracts.ts';
import { phoneOf } from './phone.ts';

/** The headers that identify a phone, besides its address. */
const headers = { Vary: 'Sec-CH-UA-Platform, User-Agent' };

/**
 * Returns the import link that was last opened on this phone, for a newly installed app. It works
 * once, within half an hour. The response has only the address of the link.
 */
export const firstRun = handler(linkVisitorContracts.firstRun)(async (
  { call },
  deps: Pick<Deps, 'db' | 'sealer' | 'settings'>,
) => {
  const phone = phoneOf(deps, call);
  const linkUuid = phone && (await takeOpened(deps.db, phone, call.now));
  const link = linkUuid ? await findLink(deps.db, linkUuid) : null;
  const found = link && {
    link_uuid: link.link_uuid,
    app_id: link.app_id,
    url: linkUrl(deps.settings.baseUrl, link),
  };
  return { status: 200, headers, body: { link: found } };
});
