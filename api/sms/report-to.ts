import type { CodeSend } from '../../db/queries/proofs.ts';

/**
 * Returns the address for the provider's reports on a message. The provider signs its public form,
 * so a report names its message and cannot be used for another.
 */
export function reportTo(baseUrl: string, send: CodeSend): string {
  return `${baseUrl}/v2/sms/events?send=${send.link_session_id}.${send.series}.${send.send}`;
}

/** Parses the `send` parameter of the address. */
export function readSend(text: string): CodeSend {
  const [link_session_id = '', series, send] = text.split('.');
  return { link_session_id, series: Number(series), send: Number(send) };
}
