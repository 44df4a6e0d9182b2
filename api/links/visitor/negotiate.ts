import type { CallFacts } from '../../http/contract.ts';
import { preferredType } from '../../http/problem/accept.ts';

/** What a client is best answered with; `install` is for a phone, which the app can be got on. */
type Format = 'J' | 'S' | 'H' | 'install';

/** Headers of an answer whose form the client chose; its address is nobody else's business. */
export const negotiatedHeaders = {
  Vary: 'Accept, Attest, Sec-Fetch-Dest',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
};

/** And of one that leads phones elsewhere. */
export const leadingHeaders = {
  ...negotiatedHeaders,
  Vary: `${negotiatedHeaders.Vary}, Accept-Language, Sec-CH-UA-Mobile, User-Agent`,
};

const types = ['text/html', 'application/json', 'image/svg+xml'] as const;

/** `format_type=A`: what the client itself says it wants (domain §6). */
export function negotiate(call: Pick<CallFacts, 'header'>): Format {
  if (call.header('attest') !== undefined) return 'J';
  if (call.header('sec-fetch-dest') === 'image') return 'S';
  const preferred = preferredType(call.header('accept'), types);
  if (preferred === 'application/json') return 'J';
  if (preferred === 'image/svg+xml') return 'S';
  return isPhone(call) ? 'install' : 'H';
}

/** Whether a call comes from a phone, by what its browser says of itself. */
export function isPhone({ header }: Pick<CallFacts, 'header'>): boolean {
  const hint = header('sec-ch-ua-mobile');
  const agent = header('user-agent') ?? '';
  return hint ? hint === '?1' : /iP(hone|od)/.test(agent) || isAndroidPhone(agent);
}

/** A tablet does not say `Mobile`. Found in one pass, however often either word stands there. */
function isAndroidPhone(agent: string): boolean {
  const android = agent.indexOf('Android');
  return android >= 0 && agent.includes('Mobile', android);
}
