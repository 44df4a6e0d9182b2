import type { Answer } from '../../support/http/client.ts';

/** Returns an answer without the parts that differ between two equal requests. */
export function essence({ status, text, headers, body }: Answer): string {
  const own = [
    'date',
    'request-id',
    'attest-nonce',
    'dpop-nonce',
    'ratelimit-remaining',
    'ratelimit-reset',
  ];
  const rest = [...headers].filter(([name]) => !own.includes(name));
  const { request_id: id } = body as { request_id?: string };
  return JSON.stringify([status, id ? text.replaceAll(id, '') : text, rest]);
}
