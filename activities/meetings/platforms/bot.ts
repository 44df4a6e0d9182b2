import { z } from 'zod';
import { assertRule } from '../../identity/sso/access-token-refused.ts';
import { accessTokenBytesMax, verifySignedToken } from '../../identity/sso/access-token.ts';
import type { Issuers } from '../../identity/sso/issuers.ts';
import { wholeOf } from '../../runtime/config.ts';
import { readTenant } from './consent.ts';

const hostForm = /^(?:\*\.)?(?:[a-z0-9-]+\.)+[a-z0-9-]+$/;
const hostsOf = (text: string): readonly string[] =>
  text.split(',').map((host) => host.trim().toLowerCase());
const serviceHosts = z
  .string()
  .max(2_000)
  .refine(
    (text) => hostsOf(text).every((host) => hostForm.test(host)),
    'must be host names with commas between, `*.` before one for its subdomains',
  );

/** Settings of the bot of conference platform B: all or none. The metadata URL is optional. */
export const botConfig = z.object({
  CONF_B_BOT_APP_ID: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'App id of the bot, the audience of its tokens. It requires the issuer, keys URL, ' +
        'channel and service hosts. Without the five, `/v2/conf-b/bot` answers 409.',
    ),
  CONF_B_BOT_ISSUER: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Issuer of the tokens of messages to the bot. The API compares it exactly.'),
  CONF_B_BOT_KEYS_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL of the key set that verifies these tokens. The API fetches keys from no other URL.',
    ),
  CONF_B_BOT_CHANNEL: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      '`channelId` of the meetings of the platform. The API rejects messages of other ' +
        'channels, and signing keys that are not endorsed for this channel.',
    ),
  CONF_B_SERVICE_HOSTS: serviceHosts
    .optional()
    .describe(
      'Host names that the `serviceUrl` of a message can have, separated by commas. `*.` ' +
        'before a name means its subdomains.',
    ),
  CONF_B_BOT_METADATA_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL of the OpenID metadata of the issuer. The API accepts the algorithms that they ' +
        'list. Without it, the API accepts RS256 only.',
    ),
});

/** The bot of our app, and the expected values in messages to it. */
export interface Bot {
  readonly appId: string;
  readonly issuer: string;
  /** The only URL from which the platform's keys are fetched. */
  readonly keysUrl: string;
  /** URL of the OpenID metadata with the signature algorithms. Null allows only RS256. */
  readonly metadataUrl: string | null;
  /** The platform's `channelId` for its meetings. */
  readonly channel: string;
  readonly serviceHosts: readonly string[];
}

/**
 * Returns the configured bot, or null.
 * @throws Error with one line that names each missing setting
 */
export function botOf(config: z.output<typeof botConfig>): Bot | null {
  const { CONF_B_BOT_APP_ID, CONF_B_BOT_ISSUER, CONF_B_BOT_KEYS_URL } = config;
  const { CONF_B_BOT_CHANNEL, CONF_B_SERVICE_HOSTS, CONF_B_BOT_METADATA_URL } = config;
  const set = wholeOf({
    CONF_B_BOT_APP_ID,
    CONF_B_BOT_ISSUER,
    CONF_B_BOT_KEYS_URL,
    CONF_B_BOT_CHANNEL,
    CONF_B_SERVICE_HOSTS,
  });
  return (
    set && {
      appId: set.CONF_B_BOT_APP_ID,
      issuer: set.CONF_B_BOT_ISSUER,
      keysUrl: set.CONF_B_BOT_KEYS_URL,
      metadataUrl: CONF_B_BOT_METADATA_URL ?? null,
      channel: set.CONF_B_BOT_CHANNEL,
      serviceHosts: hostsOf(set.CONF_B_SERVICE_HOSTS),
    }
  );
}

const skewSeconds = 300;
const serviceNames = ['serviceurl', 'serviceUrl'] as const;

/** Contents of a message's token, after its signature was verified. */
export interface BotToken {
  /** URL of the service that sent the message; null if the token names none or two. */
  readonly service: string | null;
  /** Channels that the signing key is endorsed for. */
  readonly endorsements: readonly string[];
}

/**
 * Verifies the token of a message: an advertised algorithm, a key of the platform, its issuer, our
 * app as the only audience, and a lifetime with five minutes of clock skew. No setting disables
 * this.
 * @throws AccessTokenRefused
 * @throws Failure `dependency_unavailable` if the keys are unavailable
 */
export async function verifyBotToken(
  issuers: Issuers,
  { appId, issuer }: Bot,
  token: string,
  now: Date,
): Promise<BotToken> {
  assertRule('size', token.length <= accessTokenBytesMax);
  const kind = { issuer, token_type: 'JWT', isAlgorithmAdvertised: true } as const;
  const { claims, kid } = await verifySignedToken(issuers, kind, token);
  assertRule('audience', claims['aud'] === appId);
  const at = now.getTime() / 1000;
  const { exp, nbf } = claims;
  assertRule('lifetime', typeof exp === 'number' && exp + skewSeconds > at);
  assertRule('lifetime', nbf === undefined || (typeof nbf === 'number' && nbf <= at + skewSeconds));
  const named = serviceNames.map((name) => claims[name]).filter((each) => each !== undefined);
  const [service, another] = named;
  return {
    service: typeof service === 'string' && another === undefined ? service : null,
    endorsements: issuers.endorsementsOf(issuer, kid),
  };
}

const shortText = z.string().max(1_024);
const message = z.looseObject({
  id: shortText.min(1).optional(),
  channelId: shortText.optional(),
  serviceUrl: z.string().max(2_048),
  conversation: z.looseObject({ tenantId: shortText.nullish() }).nullish(),
  channelData: z
    .looseObject({
      meeting: z.looseObject({ id: shortText }).optional(),
      tenant: z.looseObject({ id: shortText }).nullish(),
    })
    .nullish(),
});
export type BotMessage = z.output<typeof message>;

/** Reads a message of the platform. Returns null for anything else. */
export function readBotMessage(body: unknown): BotMessage | null {
  return message.safeParse(body).data ?? null;
}

/**
 * Requires that the token is for this message: sent by the service that the token names, on a
 * listed host, in the meeting platform's channel, which the signing key is endorsed for.
 * @throws AccessTokenRefused
 */
export function assertTokenIsFor(
  bot: Bot,
  { service, endorsements }: BotToken,
  received: BotMessage,
): void {
  assertRule('service', service === received.serviceUrl);
  assertRule('service_host', isListed(bot.serviceHosts, received.serviceUrl));
  assertRule('channel', received.channelId === bot.channel);
  assertRule('endorsement', endorsements.includes(bot.channel));
}

function isListed(hosts: readonly string[], address: string): boolean {
  const { protocol, host, username } = URL.parse(address) ?? {};
  if (protocol !== 'https:' || host === undefined || username !== '') return false;
  return hosts.some((each) =>
    each.startsWith('*.') ? host.endsWith(each.slice(1)) : host === each,
  );
}

/**
 * Returns the tenant of a message (docs/decisions/007), or null if the message names none or two
 * different ones.
 */
export function tenantOf({ channelData, conversation }: BotMessage): string | null {
  const named = [channelData?.tenant?.id, conversation?.tenantId].flatMap((id) => id ?? []);
  const tenants = new Set(named.map(readTenant));
  const [tenant = null] = tenants;
  return tenants.size === 1 ? tenant : null;
}
