import { createHash, timingSafeEqual, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { calendarConfig } from '../activities/calendar/config.ts';
import { mailReportsConfig } from '../activities/delivery/mail/config.ts';
import { smsConfig } from '../activities/delivery/sms/config.ts';
import { smsLimitsConfig, smsLimitsOf, type SmsLimits } from '../activities/delivery/sms/limits.ts';
import { webhookConfig } from '../activities/delivery/webhooks/config.ts';
import { custodyConfig } from '../activities/keys/config.ts';
import { masterKeyConfig } from '../activities/keys/data-keys-config.ts';
import { botConfig, botOf, type Bot } from '../activities/meetings/platforms/bot.ts';
import { confBConsentConfig } from '../activities/meetings/platforms/consent.ts';
import { attestationConfig } from '../activities/proofs/device/config.ts';
import { livenessConfig } from '../activities/proofs/face/provider/config.ts';
import { passportTrustConfig } from '../activities/proofs/passport/trust-config.ts';
import { codecConfig } from '../activities/runtime/codec/config.ts';
import {
  devTrustConfig,
  hasDevelopmentRoots,
  parseConfig,
  platformConfig,
  temporalConfig,
} from '../activities/runtime/config.ts';
import { storageConfig } from '../activities/storage/config.ts';
import { sessionConfig, sessionLivesOf } from '../activities/tokens/config.ts';
import type { SessionLives } from '../activities/tokens/session-token.ts';
import { logConfig } from '../activities/transparency/config.ts';
import { witnessConfig } from '../activities/transparency/witnesses.ts';
import { usualTimers } from '../activities/trust-checks/start.ts';
import { assertSecureUrl } from '../activities/vendors/secure-urls.ts';
import { dbConfig } from '../db/config.ts';
import type { TrustCheckTimers } from '../workflows/trust-check/messages.ts';
import { trustedProxies } from './trusted-proxies.ts';

/** Settings of the HTTP server. */
export const serverConfig = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080).describe('Port of the API.'),
  HOST: z
    .string()
    .optional()
    .describe(
      'Address on which the API listens. Without it, the API listens on all addresses in ' +
        'production and on `127.0.0.1` in development.',
    ),
  METRICS_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(9464)
    .describe('Port of the metrics of the API.'),
  TRUSTED_PROXIES: trustedProxies
    .optional()
    .describe(
      'Addresses or CIDR ranges of your proxies, separated by commas. The API reads the ' +
        'caller address from their `X-Forwarded-For`. Without it, rate limits count the ' +
        'proxy.',
    ),
  DRAIN_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(0)
    .describe(
      'Seconds that the API still serves after SIGTERM while `/readyz` fails, at most ' +
        '300. Choose the time in which your load balancer notices it.',
    ),
});

/** Settings of the calls to the Temporal server, and of the codec that its UI calls. */
export const temporalCallConfig = z.object({
  TEMPORAL_CALL_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .default(3)
    .describe(
      'Seconds that a request waits for Temporal, from 1 to 60. Then the API answers 503, ' +
        'or 202 for a submitted proof, which is judged later.',
    ),
  TEMPORAL_UI_URL: z
    .url()
    .optional()
    .describe(
      'URL of the Temporal UI. Browser pages of its origin can call `/codec`. Without it, ' +
        'no page of another origin can.',
    ),
  CODEC_OPERATOR_TOKEN: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Token that lets operators decrypt payloads at `/codec`, at least 32 characters. ' +
        'Without it, `/codec` accepts no token.',
    ),
});

/** Settings of the notifications of conference platform B. */
export const confBEventsConfig = z.object({
  CONF_B_EVENTS: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      '`on` accepts notifications of the platform at `/v2/conf-b/event`. With `off` the ' +
        'API answers them with 409, except the handshake with a `validationToken`.',
    ),
});

/** Settings of the HTTP process, composed from the fragments of what they configure. */
export const apiConfig = z
  .object({
    ...platformConfig.shape,
    ...temporalConfig.shape,
    ...custodyConfig.shape,
    ...logConfig.shape,
    ...witnessConfig.shape,
    ...dbConfig.shape,
    ...storageConfig.shape,
    ...codecConfig.shape,
    ...masterKeyConfig.shape,
    ...calendarConfig.shape,
    ...smsConfig.shape,
    ...livenessConfig.shape,
    ...smsLimitsConfig.shape,
    ...mailReportsConfig.shape,
    ...webhookConfig.shape,
    ...devTrustConfig.shape,
    ...passportTrustConfig.shape,
    ...attestationConfig.shape,
    ...sessionConfig.shape,
    ...serverConfig.shape,
    ...temporalCallConfig.shape,
    ...botConfig.shape,
    ...confBConsentConfig.shape,
    ...confBEventsConfig.shape,
  })
  .superRefine(assertSecureUrl);

const loopbackNames: readonly string[] = ['localhost', '127.0.0.1'];

export type ApiConfig = z.output<typeof apiConfig>;

/** The settings that handlers may read. They contain no secret. */
export interface Settings {
  readonly baseUrl: string;
  /**
   * Origins of the service's own pages: the base URL, and in development both names of this
   * machine.
   */
  readonly origins: readonly string[];
  readonly isDevelopment: boolean;
  /** Whether simulated evidence is accepted. Pages state this. */
  readonly hasDevelopmentRoots: boolean;
  /** Names and addresses of the API, besides those of this machine. */
  readonly hosts: readonly string[];
  /** Whether addresses identify callers: on this machine, or behind trusted proxies. */
  readonly isClientAddressKnown: boolean;
  /** Whether responses are validated against their schema; true except in production. */
  readonly checkReplies: boolean;
  /** Origins that may call the codec; empty without a UI. */
  readonly temporalUiOrigins: readonly string[];
  /** Compares an operator's token in constant time; false where none is set. */
  readonly isCodecOperator: (offered: string) => boolean;
  readonly smsLimits: SmsLimits;
  readonly sessionLivesMs: SessionLives;
  readonly webhookEndpointsMax: number;
  /** Key that signs the mail provider's reports; null to refuse all reports. */
  readonly mailReportKey: KeyObject | null;
  /** Whether notifications of conference platform B are accepted. */
  readonly takesConfBEvents: boolean;
  /** The bot on conference platform B; null to refuse all its messages. */
  readonly bot: Bot | null;
  readonly timers: TrustCheckTimers;
}

/**
 * Reads the environment of the HTTP process.
 * @throws Error with one line that names every wrong setting
 */
export function readApiConfig(): ApiConfig {
  return parseConfig(apiConfig, process.env);
}

export function settingsOf(config: ApiConfig): Settings {
  const isDevelopment = config.PROFILE === 'development';
  const ui = config.TEMPORAL_UI_URL;
  return {
    baseUrl: config.BASE_URL,
    origins: originsOf(config.BASE_URL, isDevelopment),
    isDevelopment,
    hasDevelopmentRoots: hasDevelopmentRoots(config),
    hosts: [new URL(config.BASE_URL).hostname, ...(config.HOST ? [config.HOST] : [])],
    isClientAddressKnown: isDevelopment || config.TRUSTED_PROXIES !== undefined,
    checkReplies: config.PROFILE !== 'production',
    temporalUiOrigins: ui === undefined ? [] : originsOf(ui, isDevelopment),
    isCodecOperator: comparing(config.CODEC_OPERATOR_TOKEN),
    smsLimits: smsLimitsOf(config),
    sessionLivesMs: sessionLivesOf(config),
    webhookEndpointsMax: config.WEBHOOK_ENDPOINTS_MAX,
    mailReportKey: config.SENDGRID_EVENT_PUBLIC_KEY ?? null,
    takesConfBEvents: config.CONF_B_EVENTS === 'on',
    bot: botOf(config),
    timers: usualTimers,
  };
}

/**
 * Returns the origin of an address. In development, an address of this machine has the origins of
 * both its names, because a person may open a page by either. It omits `[::1]`, where the service
 * does not listen.
 */
function originsOf(url: string, isDevelopment: boolean): readonly string[] {
  const { origin, protocol, hostname, port } = new URL(url);
  if (!isDevelopment || !loopbackNames.includes(hostname)) return [origin];
  return loopbackNames.map((name) => `${protocol}//${name}${port && `:${port}`}`);
}

/** Keeps only the hash of a secret, so that printed settings cannot reveal it. */
function comparing(secret: string | undefined): Settings['isCodecOperator'] {
  if (secret === undefined) return () => false;
  const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = sha256(secret);
  return (offered) => timingSafeEqual(expected, sha256(offered));
}
