import type { Db } from '../../db/client.ts';
import { addPhoto } from '../../db/queries/photos.ts';
import type { Sealer } from '../../db/sealing/sealed.ts';
import { blankImage } from '../../domain/images/blank-image.ts';
import type { EvidencePlaceOf } from '../proofs/evidence/evidence-repository.ts';
import type { Photo, takePhoto } from '../proofs/face/photo.ts';
import { findPortrait } from '../proofs/face/reference.ts';
import { retryAfterThreadLoss } from '../runtime/threads/retry-after-loss.ts';
import type { ObjectStore } from '../storage/object-store.ts';

export interface PhotoDeps {
  readonly db: Db;
  readonly sealer: Pick<Sealer, 'open' | 'blind'>;
  readonly store: Pick<ObjectStore, 'put'>;
  readonly heavy: { readonly takePhoto: typeof takePhoto };
  readonly clock: () => Date;
  readonly baseUrl: string;
}

/** Publishes the portrait of a passport as the claim `photo`. */
export interface PhotoPublisher {
  /**
   * Stores the photo of a submission and returns its URL. Returns null if the evidence has no
   * readable portrait, or the check is over. A repeated call returns the same URL.
   */
  publish(linkSessionId: string, of: EvidencePlaceOf): Promise<string | null>;
}

/**
 * An upper bound: accounts keep images for at most 30 days after a check, and retention removes
 * them.
 */
const retentionMsMax = 60 * 24 * 3600_000;

export function createPhotoPublisher(deps: PhotoDeps): PhotoPublisher {
  return {
    async publish(linkSessionId, of) {
      const photo = await photoOf(deps, of);
      if (!photo) return null;
      // The name cannot be guessed, and is the same if the activity is repeated.
      const name = deps.sealer.blind('photos', of.submissionId).toString('base64url');
      const object_path = `${name}.jpg`;
      const object_key = `photos/${of.accountId}/${linkSessionId}/${of.submissionId}.jpg`;
      const now = deps.clock();
      const row = { object_path, object_key, content_type: 'image/jpeg' };
      const kept = { created_at: now, expires_at: new Date(now.getTime() + retentionMsMax) };
      // The row goes first, since the removal of photos finds objects by their rows.
      if (!(await addPhoto(deps.db, linkSessionId, { ...row, ...kept }))) return null;
      await deps.store.put({ key: object_key, body: photo.jpeg, contentType: row.content_type });
      return `${deps.baseUrl}/v2/photo/photos/${object_path}`;
    },
  };
}

async function photoOf(deps: PhotoDeps, of: EvidencePlaceOf): Promise<Photo | null> {
  const portrait = await findPortrait(deps, of);
  if (!portrait) return null;
  return retryAfterThreadLoss(
    () => deps.heavy.takePhoto(portrait),
    () => deps.heavy.takePhoto(blankImage),
  );
}

/** Returns the path in the URL of a photo, or null for any other text. */
export const photoPathIn = (address: string): string | null =>
  /\/v2\/photo\/photos\/([\w-]{43}\.jpg)$/.exec(address)?.[1] ?? null;
