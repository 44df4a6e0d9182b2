import { findLogoDigest } from '../../../db/queries/app-logos.ts';
import { findApp } from '../../../db/queries/credentials.ts';
import { wantedLanguage } from '../../../domain/languages/spoken.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { handler, type CallFacts } from '../../http/contract.ts';
import { findLinkOrThrow } from '../find.ts';
import { stateOf } from '../present.ts';
import type { SuccessBody } from '../schemas.ts';
import { logoAddress, logoPath } from '../../http/html/logo.ts';
import { linkVisitorContracts } from './contracts.ts';
import { negotiate, negotiatedHeaders } from './negotiate.ts';
import { successCard, successPage } from './pages/success.ts';

type SuccessDeps = Pick<Deps, 'db' | 'settings'>;

export const success = handler(linkVisitorContracts.success)(async (input, deps: SuccessDeps) => {
  const link = await findLinkOrThrow(deps, input.path.link_uuid, input.query.app_id);
  const of = { link_uuid: link.link_uuid, status: stateOf(link, input.call.now) };
  const shown = await ofApp(deps, link.app_id, of);
  return show(shown, input.query.format_type, input.call, link.locale);
});

export const successByApp = handler(linkVisitorContracts.successByApp)(async (
  input,
  deps: SuccessDeps,
) => {
  const shown = await ofApp(deps, input.path.app_id, { link_uuid: null, status: null });
  return show(shown, input.query.format_type, input.call);
});

interface SuccessFacts {
  readonly body: SuccessBody;
  /** The path of the logo of the app. */
  readonly logo: string | null;
}

async function ofApp(
  { db, settings }: SuccessDeps,
  appId: string,
  link: Pick<SuccessBody, 'link_uuid' | 'status'>,
): Promise<SuccessFacts> {
  const app = await findApp(db, appId);
  if (!app) throw new Failure('not_found');
  const digest = await findLogoDigest(db, appId);
  const body = {
    ...link,
    requester: {
      account_name: app.account_name,
      logo_url: app.account_logo_url,
      verified: app.account_verified,
    },
    app: { app_id: app.app_id, name: app.name, logo_url: logoAddress(settings.baseUrl, digest) },
  };
  return { body, logo: logoPath(digest) };
}

const headers = { ...negotiatedHeaders, Vary: `${negotiatedHeaders.Vary}, Accept-Language` };

/** Shows a page on a phone too, because the person comes from the app. */
function show(
  { body, logo }: SuccessFacts,
  formatType: 'A' | 'J' | 'S' | 'H',
  call: CallFacts,
  locale: string | null = null,
) {
  const format = formatType === 'A' ? negotiate(call) : formatType;
  if (format === 'J') {
    return {
      status: 200,
      type: 'application/json; charset=utf-8',
      content: JSON.stringify(body),
      headers,
    } as const;
  }
  const language = wantedLanguage([locale, call.header('accept-language')]);
  const page = format === 'S' ? successCard(body, language) : successPage(body, logo, language);
  return {
    status: 200,
    type: page.type,
    content: page.content,
    headers: { ...headers, ...page.headers },
  } as const;
}
