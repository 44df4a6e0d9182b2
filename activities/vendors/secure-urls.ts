import ipaddr from 'ipaddr.js';
import type { z } from 'zod';

/** Settings of the URLs to which codes, credentials or messages go, or from which keys come. */
export const outsideUrls = [
  'APP_ATTEST_SANDBOX_URL',
  'APP_ATTEST_URL',
  'CAL_ISSUER',
  'CONF_B_BOT_KEYS_URL',
  'CONF_B_BOT_METADATA_URL',
  'CONF_B_LOGIN_URL',
  'CONF_B_REDIRECT_URI',
  'DEVICECHECK_SANDBOX_URL',
  'DEVICECHECK_URL',
  'FACE_HTTP_URL',
  'FACE_REKOGNITION_URL',
  'KEYS_KMS_URL',
  'PLAY_INTEGRITY_URL',
  'SENDGRID_BASE_URL',
  'TWILIO_BASE_URL',
] as const;
/** Settings of the URLs that browsers open. In a trial of production they are on this machine. */
export const browserUrls = ['BASE_URL', 'S3_PUBLIC_ENDPOINT', 'TEMPORAL_UI_URL'] as const;

/**
 * Validates the URLs of a process against its profile, and adds an issue for each wrong one. URLs
 * of vendors must be `https:`; in development also `http:` on this machine. In production, URLs
 * that browsers open must be `https:`, or on this machine.
 */
export function assertSecureUrl(
  config: Readonly<Record<string, unknown>>,
  context: z.core.$RefinementCtx,
): void {
  const isDevelopment = config['PROFILE'] === 'development';
  const refuse = (name: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [name], message });
  const plain = (names: readonly string[]) =>
    names.flatMap((name) => {
      const url = URL.parse(String(config[name]));
      return url?.protocol === 'http:' ? [{ name, isHere: isThisMachine(url) }] : [];
    });
  for (const { name, isHere } of plain(outsideUrls)) {
    if (!isDevelopment) refuse(name, 'must be https');
    else if (!isHere) refuse(name, httpsRule);
  }
  if (isDevelopment) return;
  // Without a public endpoint, browsers connect to the store itself.
  const store = config['S3_PUBLIC_ENDPOINT'] === undefined ? ['S3_ENDPOINT'] : [];
  for (const { name, isHere } of plain([...browserUrls, ...store])) {
    if (!isHere) refuse(name, httpsRule);
  }
}

/** The rule for URLs that browsers open, and in development for every URL. */
export const httpsRule = 'must be https, or on this machine';

/** Whether an address satisfies `httpsRule`. */
export function isSecurePage(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url));
}

const isThisMachine = ({ hostname }: URL): boolean =>
  isLoopback(hostname.replaceAll(/^\[|\]$/g, ''));

/**
 * Reports whether a host name or IP address is the loopback of this machine.
 * @param name an IPv6 address has no brackets
 */
export function isLoopback(name: string): boolean {
  if (name === 'localhost') return true;
  return ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback';
}
