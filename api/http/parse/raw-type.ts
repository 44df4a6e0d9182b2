import { Failure } from '../../../workflows/failures.ts';
import type { CallFacts } from '../contract.ts';

/**
 * Requires the media type, or `application/octet-stream`, which the typed client sends.
 * @throws Failure `media_type_unsupported`
 */
export function assertContentType({ header }: Pick<CallFacts, 'header'>, type: string): void {
  const [given = ''] = (header('content-type') ?? '').split(';');
  if ([type, 'application/octet-stream'].includes(given.trim().toLowerCase())) return;
  throw new Failure('media_type_unsupported', { detail: `Send ${type}` });
}
