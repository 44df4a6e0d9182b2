import type { CallFacts } from '../contract.ts';

/** What a client is best answered with; `install` is for a phone, which the app can be got on. */
type Format = 'J' | 'S' | 'H' | 'install';

const vary = 'Accept, Sec-Fetch-Dest, Sec-CH-UA-Mobile, User-Agent';

/** Headers of an answer whose form the client chose; its address is nobody else's business. */
export const negotiatedHeaders = {
  Vary: vary,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
};

/** `format_type=A`: what the client itself says it wants (domain §6). */
export function negotiate(call: Pick<CallFacts, 'header'>): Format {
  const accept = call.header('accept') ?? '';
  if (call.header('attest') !== undefined || prefersJson(accept)) return 'J';
  if (call.header('sec-fetch-dest') === 'image' || /^\s*image\//.test(accept)) return 'S';
  const hint = call.header('sec-ch-ua-mobile');
  const agent = call.header('user-agent') ?? '';
  const isPhone = hint ? hint === '?1' : /iP(hone|od)/.test(agent) || isAndroidPhone(agent);
  return isPhone ? 'install' : 'H';
}

/** A tablet does not say `Mobile`. Found in one pass, however often either word stands there. */
function isAndroidPhone(agent: string): boolean {
  const android = agent.indexOf('Android');
  return android >= 0 && agent.includes('Mobile', android);
}

/** A program asks for JSON by name; a browser names text/html before anything else. */
export function prefersJson(accept: string): boolean {
  const json = accept.search(/application\/([a-z.+-]+\+)?json/);
  const html = accept.indexOf('text/html');
  return json >= 0 && (html < 0 || json < html);
}
