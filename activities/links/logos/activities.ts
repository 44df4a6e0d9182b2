import { blankImage } from '../../../domain/images/blank-image.ts';
import { isDecodedImage } from '../../../domain/images/media-type.ts';
import type { LogoAnswer, LogoRequest } from '../../../workflows/logo-fetch/messages.ts';
import type { takeLogo } from '../../proofs/images/normalize-image.ts';
import { createPlaces, type Places } from '../../runtime/places.ts';
import { retryAfterThreadLoss } from '../../runtime/threads/retry-after-loss.ts';
import { downloadLogo } from './download-logo.ts';

export interface LogoActivities {
  /** Downloads an image and encodes it again as PNG. */
  fetchLogo(request: LogoRequest): Promise<LogoAnswer>;
}

export interface LogoDeps {
  readonly heavy: { readonly takeLogo: typeof takeLogo };
  /** Whether loopback and private addresses are allowed; only in development. */
  readonly allowPrivate: boolean;
}

/**
 * Concurrent logo fetches of a worker, and of one account. Slow servers and images that take long
 * to decode must not delay other work, such as reading documents.
 */
const placesOfWorker = { most: 2, mostOfAccount: 1, retryAfterSeconds: 1 };

export function createLogoActivities(deps: LogoDeps): LogoActivities {
  const places = createPlaces(placesOfWorker);
  return { fetchLogo: (request) => fetchLogo(deps, places, request) };
}

async function fetchLogo(
  deps: LogoDeps,
  places: Places,
  { account_id, url }: LogoRequest,
): Promise<LogoAnswer> {
  const leave = places.take(account_id);
  return downloadAndEncode(deps, url).finally(leave);
}

async function downloadAndEncode({ heavy, allowPrivate }: LogoDeps, url: string) {
  const image = await downloadLogo(url, allowPrivate);
  if (typeof image === 'string') return { refusal: image };
  if (!isDecodedImage(image)) return { refusal: 'wrong_type' } as const;
  const png = await retryAfterThreadLoss(
    () => heavy.takeLogo(image),
    () => heavy.takeLogo(blankImage),
  );
  if (!png) return { refusal: 'unreadable' } as const;
  return { png: Buffer.from(png).toString('base64') };
}
