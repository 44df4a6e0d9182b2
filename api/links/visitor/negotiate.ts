import type { CallFacts } from '../../http/contract.ts';
import { preferredType } from '../../http/problem/accept.ts';

/** The format for a client; `install` leads a phone to the app's install page. */
type Format = 'J' | 'S' | 'H' | 'install';

/**
 * Headers of a response in a negotiated format. They keep its address from other sites and caches.
 */
export const negotiatedHeaders = {
  Vary: 'Accept, Attest, Sec-Fetch-Dest',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
};

/** Headers where phones may be redirected. */
export const leadingHeaders = {
  ...negotiatedHeaders,
  Vary: `${negotiatedHeaders.Vary}, Accept-Language, Sec-CH-UA-Mobile, User-Agent`,
};

const types = ['text/html', 'application/json', 'image/svg+xml'] as const;

/** Resolves `format_type=A` from what the client requests. */
export function negotiate(call: Pick<CallFacts, 'header'>): Format {
  if (call.header('attest') !== undefined) return 'J';
  if (call.header('sec-fetch-dest') === 'image') return 'S';
  const preferred = preferredType(call.header('accept'), types);
  if (preferred === 'application/json') return 'J';
  if (preferred === 'image/svg+xml') return 'S';
  return isPhone(call) ? 'install' : 'H';
}

/** Whether a call comes from a phone, according to its browser. */
export function isPhone({ header }: Pick<CallFacts, 'header'>): boolean {
  const hint = header('sec-ch-ua-mobile');
  const agent = header('user-agent') ?? '';
  return hint ? hint === '?1' : /iP(hone|od)/.test(agent) || isAndroidPhone(agent);
}

/** A tablet's agent omits `Mobile`. Linear in the length of the agent. */
function isAndroidPhone(agent: string): boolean {
  const android = agent.indexOf('Android');
  return android >= 0 && agent.includes('Mobile', android);
}
