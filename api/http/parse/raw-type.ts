import { Failure } from '../../../workflows/failures.ts';
import type { CallFacts } from '../contract.ts';

/**
 * Whether raw bytes came as what they are, or as bytes of no type, as the typed client sends them.
 * Throws `media_type_unsupported`.
 */
export function assertContentType({ header }: Pick<CallFacts, 'header'>, type: string): void {
  const [given = ''] = (header('content-type') ?? '').split(';');
  if ([type, 'application/octet-stream'].includes(given.trim().toLowerCase())) return;
  throw new Failure('media_type_unsupported', { detail: `Send ${type}` });
}
