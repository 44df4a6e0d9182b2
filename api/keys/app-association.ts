import { listAppIdentities, type AppIdentityRow } from '../../db/queries/app-identities.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { keyContracts } from './contract.ts';
import { revalidate } from './revalidate.ts';

const type = 'application/json';
/** Maximum of path patterns of one mobile app. An app that serves more apps gets every link. */
const appsOfOneMax = 50;
/** `?` matches one character. Together these match app_id and link_uuid of any link. */
const anyLink = '/v2/*/????????-????-????-????-????????????';

/** Returns each mobile app with the links of its apps, in Apple's form with `components`. */
export function appleDocument(rows: readonly AppIdentityRow[]) {
  const appsOf = new Map<string, string[]>();
  for (const { app_id, apple } of rows) {
    if (!apple) continue;
    const id = `${apple.team_id}.${apple.bundle_id}`;
    appsOf.set(id, [...(appsOf.get(id) ?? []), app_id]);
  }
  const details = [...appsOf].map(([id, apps]) => ({
    appIDs: [id],
    components: (apps.length > appsOfOneMax ? [anyLink] : apps.map((app) => `/v2/${app}/*`)).map(
      (path) => ({ '/': path }),
    ),
  }));
  return { applinks: { details } };
}

/** Returns Digital Asset Links statements: one per package, with all its certificate digests. */
export function assetLinksDocument(rows: readonly AppIdentityRow[]) {
  const digestsOf = new Map<string, Set<string>>();
  for (const { android } of rows) {
    if (!android) continue;
    const digests = digestsOf.get(android.package) ?? new Set();
    for (const digest of android.signature_digests) {
      const fingerprint = fingerprintOf(digest);
      if (fingerprint) digests.add(fingerprint);
    }
    if (digests.size > 0) digestsOf.set(android.package, digests);
  }
  return [...digestsOf].map(([package_name, digests]) => ({
    relation: ['delegate_permission/common.handle_all_urls'],
    target: {
      namespace: 'android_app',
      package_name,
      sha256_cert_fingerprints: [...digests],
    },
  }));
}

/** Reads a SHA-256 in hex, with or without colons, or in base64 as in Play's verdicts. */
function fingerprintOf(digest: string): string | null {
  const bare = digest.replaceAll(':', '');
  const bytes = /^[0-9a-f]{64}$/i.test(bare)
    ? Buffer.from(bare, 'hex')
    : Buffer.from(digest, 'base64');
  if (bytes.length !== 32) return null;
  return bytes.toString('hex').toUpperCase().match(/../g)?.join(':') ?? null;
}

interface DocumentInput {
  readonly headers: { readonly 'if-none-match'?: string | undefined };
}

async function association(input: DocumentInput, { db }: Pick<Deps, 'db'>) {
  const content = JSON.stringify(appleDocument(await listAppIdentities(db)));
  return revalidate({ type, content }, input.headers['if-none-match']);
}

export const iosAssociation = handler(keyContracts.iosAssociation)(association);

export const assetLinks = handler(keyContracts.assetLinks)(async (
  input,
  { db }: Pick<Deps, 'db'>,
) => {
  const content = JSON.stringify(assetLinksDocument(await listAppIdentities(db)));
  return revalidate({ type, content }, input.headers['if-none-match']);
});
