import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { operatorConfig } from '../../../activities/affidavit/operator.ts';
import { calendarConfig } from '../../../activities/calendar/config.ts';
import { mailConfig, mailReportsConfig } from '../../../activities/delivery/mail/config.ts';
import { smsConfig } from '../../../activities/delivery/sms/config.ts';
import { smsLimitsConfig } from '../../../activities/delivery/sms/limits.ts';
import { webhookConfig } from '../../../activities/delivery/webhooks/config.ts';
import { custodyConfig } from '../../../activities/keys/config.ts';
import { masterKeyConfig } from '../../../activities/keys/data-keys-config.ts';
import { timestampConfig } from '../../../activities/keys/timestamps/config.ts';
import { botConfig } from '../../../activities/meetings/platforms/bot.ts';
import { confBConsentConfig } from '../../../activities/meetings/platforms/consent.ts';
import { appleKeysConfig } from '../../../activities/proofs/device/apple/apple-keys.ts';
import { deviceCheckConfig } from '../../../activities/proofs/device/apple/device-check.ts';
import { receiptConfig } from '../../../activities/proofs/device/apple/receipt-service.ts';
import { statusListConfig } from '../../../activities/proofs/device/config.ts';
import { playConfig } from '../../../activities/proofs/device/google/play-integrity.ts';
import {
  claimPolicyConfig,
  livenessConfig,
} from '../../../activities/proofs/face/provider/config.ts';
import { passportTrustConfig } from '../../../activities/proofs/passport/trust-config.ts';
import { codecConfig } from '../../../activities/runtime/codec/config.ts';
import {
  devTrustConfig,
  platformConfig,
  temporalConfig,
} from '../../../activities/runtime/config.ts';
import { storageConfig } from '../../../activities/storage/config.ts';
import { sessionConfig } from '../../../activities/tokens/config.ts';
import { logConfig } from '../../../activities/transparency/config.ts';
import { witnessConfig } from '../../../activities/transparency/witnesses.ts';
import { browserUrls, outsideUrls } from '../../../activities/vendors/secure-urls.ts';
import {
  apiConfig,
  confBEventsConfig,
  serverConfig,
  temporalCallConfig,
} from '../../../api/config.ts';
import { dbConfig } from '../../../db/config.ts';
import { workerConfig, workerProcessConfig } from '../../../workers/config.ts';

/** Path of the generated page. */
export const settingsPath = fileURLToPath(
  new URL('../../../docs/operate/settings.md', import.meta.url),
);

type Shape = Readonly<Record<string, z.ZodType>>;

interface Area {
  readonly title: string;
  /** Path of a page that explains the area, relative to `docs/operate`. */
  readonly page?: string;
  /** A note that applies to several settings of the area. */
  readonly note?: string;
  readonly fragments: readonly { readonly shape: Shape }[];
}

const areas: readonly Area[] = [
  { title: 'Service', page: 'overview.md', fragments: [platformConfig] },
  { title: 'API server', page: 'scaling.md', fragments: [serverConfig] },
  { title: 'Worker', page: 'scaling.md', fragments: [workerProcessConfig] },
  { title: 'Database', page: 'database.md', fragments: [dbConfig] },
  {
    title: 'Temporal',
    page: 'temporal.md',
    fragments: [temporalConfig, temporalCallConfig, codecConfig],
  },
  { title: 'Object storage', fragments: [storageConfig] },
  { title: 'Keys', page: 'keys.md', fragments: [masterKeyConfig, custodyConfig] },
  { title: 'Public log', page: '../protocols/log.md', fragments: [logConfig, witnessConfig] },
  { title: 'Operator', fragments: [operatorConfig] },
  { title: 'Time stamps', page: 'evidence.md', fragments: [timestampConfig] },
  {
    title: 'Mail',
    note:
      'At SendGrid, switch on the events Delivered, Deferred, Bounced, Dropped and Spam Reports ' +
      'for the webhook.',
    fragments: [mailConfig, mailReportsConfig],
  },
  {
    title: 'Text messages',
    note:
      'A destination is a country for one account, or for all accounts the numbers that differ ' +
      'only in the last six digits. `npx trustcheck admin sms-stops list` prints the stopped ' +
      'destinations. `npx trustcheck admin sms-stops lift account:7:country:DE` ends a stop.',
    fragments: [smsConfig, smsLimitsConfig],
  },
  { title: 'Webhooks', fragments: [webhookConfig] },
  { title: 'Sessions', fragments: [sessionConfig] },
  { title: 'Calendar', page: 'integrations.md', fragments: [calendarConfig] },
  {
    title: 'Conference platform B',
    page: 'integrations.md',
    fragments: [confBConsentConfig, botConfig, confBEventsConfig],
  },
  { title: 'Android phones', page: 'devices.md', fragments: [statusListConfig, playConfig] },
  {
    title: 'iPhones',
    page: 'devices.md',
    fragments: [appleKeysConfig, receiptConfig, deviceCheckConfig],
  },
  {
    title: 'Face providers',
    page: '../protocols/face-provider.md',
    fragments: [livenessConfig, claimPolicyConfig],
  },
  {
    title: 'Passports',
    note:
      'The service keeps fetched lists in the object store, and every worker uses a new list ' +
      'within 10 minutes. `npx trustcheck evidence coverage` shows the countries with verifiable ' +
      'passports.',
    fragments: [passportTrustConfig],
  },
  { title: 'Simulators', page: '../guides/simulator.md', fragments: [devTrustConfig] },
];

const api: Shape = apiConfig.shape;
const worker: Shape = workerConfig.shape;

/** All settings of both processes by name. */
export const settings: Shape = { ...api, ...worker };

/** Returns the page of all settings in Markdown. */
export function settingsPage(): string {
  const sections = areas.map(({ title, page, note, fragments }) => {
    // `iPhones` has one setting in three fragments.
    const schemas = new Map(fragments.flatMap(({ shape }) => Object.entries(shape)));
    const rows = Array.from(schemas, ([name, schema]) => rowOf(name, schema));
    const link = page && `See [${page.replace(/^.*\//, '')}](${page}).`;
    const notes = [link, note].flatMap((text) => (text ? [text, ''] : []));
    return [`## ${title}`, '', ...notes, ...head, ...rows, ''];
  });
  return [...intro, ...sections.flat()].join('\n');
}

const head = ['| Setting | Read by | Default | Meaning |', '|---|---|---|---|'];

function rowOf(name: string, schema: z.ZodType): string {
  const readers = [...(name in api ? ['API'] : []), ...(name in worker ? ['worker'] : [])];
  const readBy = readers.length === 2 ? 'both' : (readers[0] ?? 'none');
  const meaning = (schema.description ?? '').replaceAll('|', String.raw`\|`);
  return `| \`${name}\` | ${readBy} | ${defaultOf(schema)} | ${meaning} |`;
}

/** Returns the default. A setting without one is `required`, or optional: `—`. */
function defaultOf(schema: z.ZodType): string {
  const parsed = schema.safeParse(undefined);
  if (!parsed.success) return 'required';
  const { data } = parsed;
  return typeof data === 'string' || typeof data === 'number' ? `\`${data}\`` : '—';
}

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const intro = [
  '<!-- generated by npm run settings -->',
  '# Settings',
  '',
  'API and workers read their settings from environment variables, once, at the start. This page ' +
    'lists every setting. It is for operators.',
  '',
  'An empty variable counts as absent. If a setting is wrong, the process does not start. It ' +
    'prints one line that names each wrong setting and the reason, never the value.',
  '',
  '- **Read by** names the process that reads the setting: the API, the worker, or both.',
  '- **Default** is `required` if the process does not start without the setting, and `—` if the ' +
    'setting is optional and has no default.',
  '- A secret is the value of its variable, unless the meaning says that the setting is the path ' +
    'of a file.',
  '',
  'Two rules hold for URLs:',
  '',
  `- The URLs to which the service sends codes, credentials or messages, or from which it reads ` +
    `keys, are \`https:\`. In development they can be \`http:\` on the same machine. These are ` +
    `${listed(outsideUrls.toSorted())}.`,
  `- The URLs that browsers open are \`https:\` in production, or on the same machine. These are ` +
    `${listed(browserUrls)}, and \`S3_ENDPOINT\` if \`S3_PUBLIC_ENDPOINT\` is absent.`,
  '',
];

if (import.meta.main) {
  const [unknown] = process.argv.slice(2);
  if (unknown !== undefined) {
    process.stderr.write(`${unknown}: npm run settings takes no arguments\n`);
    process.exit(2);
  }
  writeFileSync(settingsPath, settingsPage());
}
