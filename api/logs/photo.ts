import { transaction } from '../../db/client.ts';
import { appendAudit } from '../../db/queries/audit.ts';
import { findPhoto } from '../../db/queries/photos.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { logContracts } from './contract.ts';

const ttlSeconds = 60;
const bucket = 'photos';
/** 256 random bits, and what kind of image it is. */
const pathForm = /^[A-Za-z0-9_-]{43}\.(jpg|png)$/;

/**
 * Redirects to a verified image, for whoever has its path: that is what nobody guesses. What is in
 * the address is looked up, never followed; whatever is not found is one answer. That it was shown
 * stands in the account's audit log before anybody is led to it.
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
