import { z } from 'zod';
import { wholeOf } from '../config.ts';
import { hold } from '../sso/access-token-refused.ts';
import { accessTokenBytesMax, verifySignedToken } from '../sso/access-token.ts';
import type { Issuers } from '../sso/issuers.ts';

/** Settings of the bot of conference platform B: all three, or none. */
export const botConfig = z.object({
  CONF_B_BOT_APP_ID: z.string().min(1).max(255).optional(),
  CONF_B_BOT_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
  CONF_B_BOT_KEYS_URL: z.url({ protocol: /^https?$/ }).optional(),
});

/** Whose messages are believed: those of this issuer that are for our app. */
export interface Bot {
  readonly appId: string;
  readonly issuer: string;
  /** Where its keys are: they are asked for there and nowhere else. */
  readonly keysUrl: string;
}

/** The configured bot, or null. Throws one line that names what is missing of half of one. */
export function botOf(config: z.output<typeof botConfig>): Bot | null {
  const { CONF_B_BOT_APP_ID, CONF_B_BOT_ISSUER, CONF_B_BOT_KEYS_URL } = config;
  const set = wholeOf({ CONF_B_BOT_APP_ID, CONF_B_BOT_ISSUER, CONF_B_BOT_KEYS_URL });
  return (
    set && {
      appId: set.CONF_B_BOT_APP_ID,
      issuer: set.CONF_B_BOT_ISSUER,
      keysUrl: set.CONF_B_BOT_KEYS_URL,
    }
  );
}

const skewSeconds = 300;
const serviceNames = ['serviceurl', 'serviceUrl'] as const;

/**
 * Holds the token of a message against the platform's convention: signed by its keys, of its
 * issuer, for our app alone, current give or take five minutes. There is no way to switch it off.
 * @returns the address of the service that the token speaks of; null where it names none
 * @throws AccessTokenRefused; Failure `dependency_unavailable` where the keys cannot be had
 */
export async function verifyBotToken(
  issuers: Issuers,
  { appId, issuer }: Bot,
  token: string,
  now: Date,
): Promise<string | null> {
  hold('size', token.length <= accessTokenBytesMax);
  const { claims } = await verifySignedToken(issuers, { issuer, token_type: 'JWT' }, token);
  hold('audience', claims['aud'] === appId);
  const at = now.getTime() / 1000;
  const { exp, nbf } = claims;
  hold('lifetime', typeof exp === 'number' && exp + skewSeconds > at);
  hold('lifetime', nbf === undefined || (typeof nbf === 'number' && nbf <= at + skewSeconds));
  const named = serviceNames.map((name) => claims[name]).filter((each) => each !== undefined);
  const [service, another] = named;
  return typeof service === 'string' && another === undefined ? service : null;
}

const message = z.looseObject({
  id: z.string().min(1).max(1_024).optional(),
  serviceUrl: z.string().max(2_048),
  channelData: z
    .looseObject({ meeting: z.looseObject({ id: z.string().max(1_024) }).optional() })
    .nullish(),
});
type BotMessage = z.output<typeof message>;

/** A message of the platform, as far as anything here depends on it; null for what is none. */
export function readBotMessage(body: unknown): BotMessage | null {
  return message.safeParse(body).data ?? null;
}
