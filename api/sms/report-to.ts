import type { CodeSend } from '../../db/queries/proofs.ts';

/**
 * Where the provider reports on a message: what it signs is this address, as it is known outside,
 * so that a report names its message and can be put to no other.
 */
export function reportTo(baseUrl: string, send: CodeSend): string {
  return `${baseUrl}/v2/sms/events?send=${send.link_session_id}.${send.series}.${send.send}`;
}

/** Reads what an address names. */
export function readSend(text: string): CodeSend {
  const [link_session_id = '', series, send] = text.split('.');
  return { link_session_id, series: Number(series), send: Number(send) };
}
