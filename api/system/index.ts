import { isDiskUrlGood } from '../../activities/storage/disk.ts';
import { statement } from '../../db/client.ts';
import { findLogo } from '../../db/queries/app-logos.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { family, handler, type CallFacts } from '../http/contract.ts';
import { builtSdk } from '../http/html/built.ts';
import { logoDigestIn } from '../http/html/logo.ts';
import { assetOf } from './assets.ts';
import { systemContracts } from './contract.ts';
import { outboxPage as renderOutbox } from './outbox-page.ts';
import { isOwnHost } from './own-host.ts';

const ok = { status: 200, body: { status: 'ok' } } as const;

const livez = handler(systemContracts.livez)(async () => ok);
const startupz = handler(systemContracts.startupz)(async () => ok);

/** Ready only if every dependency of a call responds. */
const readyz = handler(systemContracts.readyz)(async (_input, deps: Pick<Deps, 'telemetry'>) => {
  const { isReady, checks } = await deps.telemetry.readiness();
  if (isReady) return { status: 200, body: { status: 'ok', checks } };
  return { status: 503, body: { status: 'failing', checks } };
});

const asset = handler(systemContracts.asset)(async (input) => {
  const found = assetOf(input.path.name);
  if (!found) throw new Failure('not_found');
  const caching = found.isHashed ? 'public, max-age=31536000, immutable' : 'public, max-age=300';
  return {
    status: 200,
    type: 'text/javascript; charset=utf-8',
    content: found.content,
    headers: { 'Cache-Control': caching },
  };
});

/** For pages of every origin: it is public and runs with the rights of the page that loads it. */
const sdk = handler(systemContracts.sdk)(async () => ({
  status: 200,
  type: 'text/javascript; charset=utf-8',
  content: builtSdk(),
  headers: {
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'public, max-age=3600',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  },
}));

/** For pages of every origin, which get its URL from a link's preview. */
const logo = handler(systemContracts.logo)(async (input, { db }: Pick<Deps, 'db'>) => {
  const digest = logoDigestIn(input.path.name);
  const content = digest === null ? null : await findLogo(db, digest);
  if (!content) throw new Failure('not_found');
  return {
    status: 200,
    type: 'image/png',
    content,
    headers: {
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  };
});

/** Every fault of a signed URL is the same 404. */
const object = handler(systemContracts.object)(async (
  input,
  deps: Pick<Deps, 'keys' | 'files' | 'settings'>,
) => {
  const { query } = input;
  const secrets = deps.keys.acceptedSecrets('object-urls', input.call.now);
  if (!isDiskUrlGood(secrets, input.path.key, query, input.call.now)) {
    throw new Failure('not_found');
  }
  const content = await deps.files.objects.get(input.path.key);
  if (!content) throw new Failure('not_found');
  return {
    status: 200,
    type: query.type || 'application/octet-stream',
    content,
    headers: {
      'Cache-Control': 'private, no-store',
      'Content-Disposition': `attachment; filename="${query.filename || 'file'}"`,
    },
  };
});

interface OutboxRow {
  readonly id: string;
  readonly channel: 'mail' | 'sms';
  readonly recipient: string;
  readonly subject: string | null;
  readonly text: string;
  readonly created_at: Date;
}
const messages = statement<OutboxRow>(
  'outbox.list',
  `SELECT id, channel, recipient, subject, text, created_at FROM outbox_messages
   ORDER BY created_at DESC, id LIMIT :limit`,
);

/**
 * Shows the outbox only in development; production never writes to it. Refuses foreign host names:
 * another site could point its own name here (DNS rebinding) and read codes.
 * @throws Failure `not_found`, `host_refused`
 */
function checkShown({ settings }: Pick<Deps, 'settings'>, { header }: CallFacts): void {
  if (!settings.isDevelopment) throw new Failure('not_found');
  if (isOwnHost(header('host') ?? '', settings.hosts)) return;
  throw new Failure('host_refused', { detail: `Open it at ${settings.baseUrl}/outbox` });
}

const outbox = handler(systemContracts.outbox)(async (
  input,
  deps: Pick<Deps, 'db' | 'settings'>,
) => {
  checkShown(deps, input.call);
  const rows = await messages(deps.db, { limit: input.query.limit });
  const items = rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
  return { status: 200, body: { items } };
});

const pageMessagesMax = 50;

/** The outbox as a page: every message, newest first, as escaped text. */
const outboxPage = handler(systemContracts.outboxPage)(async (
  input,
  deps: Pick<Deps, 'db' | 'settings'>,
) => {
  checkShown(deps, input.call);
  const rows = await messages(deps.db, { limit: pageMessagesMax });
  return { status: 200, ...renderOutbox(rows, deps.settings.baseUrl) };
});

export const system = family('system', systemContracts, {
  livez,
  readyz,
  startupz,
  asset,
  sdk,
  logo,
  object,
  outbox,
  outboxPage,
});
