import { transaction } from '../../db/client.ts';
import { appendAudit } from '../../db/queries/audit.ts';
import { findPhoto } from '../../db/queries/photos.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { logContracts } from './contract.ts';

const ttlSeconds = 60;
const bucket = 'photos';
/** 256 random bits, and the type of the image. */
const pathForm = /^[A-Za-z0-9_-]{43}\.(jpg|png)$/;

/**
 * Redirects to a verified image for anyone with its unguessable path. The path is looked up and
 * never used as an address. Every miss gets the same response. An audit entry is written before the
 * redirect.
 */
export const photo = handler(logContracts.photo)(async (
  { path, call },
  { db, files }: Pick<Deps, 'db' | 'files'>,
) => {
  const isOurs = path.bucket_name === bucket && pathForm.test(path.object_path);
  const found = isOurs ? await findPhoto(db, path.object_path, call.now) : null;
  if (!found) throw new Failure('not_found');
  const { object_key, content_type: contentType, account_id, link_session_id } = found;
  const entry = { accountId: account_id, actor: 'anybody', objectId: link_session_id, details: {} };
  await transaction(db, (tx) => appendAudit(tx, { ...entry, action: 'photo.shown' }, call.now));
  const filename = `photo${path.object_path.slice(-'.jpg'.length)}`;
  return {
    status: 302,
    location: await files.objects.presign(object_key, { ttlSeconds, filename, contentType }),
    headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  };
});
