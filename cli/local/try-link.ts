import { createClient } from '../../simulator/session/client.ts';
import type { Seed } from '../data-directory/seed.ts';

interface Wanted {
  readonly baseUrl: string;
  readonly seed: Seed;
  /** Link of an earlier start. */
  readonly known: string | null;
}

/**
 * Returns a link for trying a whole check in a browser: that of an earlier start if it can still be
 * opened, else a new one.
 */
export async function findTryLink({ baseUrl, seed, known }: Wanted): Promise<string> {
  if (known?.startsWith(`${baseUrl}/`) && (await canBeOpened(known))) return known;
  const call = createClient(baseUrl);
  const body = {
    title: 'A check in the browser',
    required_proofs: ['phone', 'document', 'biometric'],
    requested_claims: ['full_name', 'phone_number'],
  };
  const path = `/v2/link/${seed.app_id}`;
  const { url } = await call<{ url: string }>('PUT', path, { token: seed.api_key, body });
  return url;
}

async function canBeOpened(url: string): Promise<boolean> {
  const response = await fetch(`${url}?format_type=J`);
  const { actionable } = (await response.json()) as { actionable?: boolean };
  return response.ok && actionable === true;
}
