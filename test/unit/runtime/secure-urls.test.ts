import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../activities/runtime/config.ts';
import { apiConfig } from '../../../api/config.ts';
import { workerConfig } from '../../../workers/config.ts';

const place = {
  BASE_URL: 'https://trust.example.test',
  DATA_DIR: '/data',
  DATABASE_URL: 'postgres://127.0.0.1/trustcheck',
};
const schemas = [apiConfig, workerConfig];
const names = new Set(schemas.flatMap(({ shape }) => Object.keys(shape)));

/** The error of the processes for a setting; null if none refuses it. */
function refusal(PROFILE: string, settings: Readonly<Record<string, string>>): string | null {
  for (const schema of schemas) {
    try {
      parseConfig<typeof apiConfig | typeof workerConfig>(schema, {
        ...place,
        PROFILE,
        ...settings,
      });
    } catch (error) {
      return String(error);
    }
  }
  return null;
}

const elsewhere = 'http://elsewhere.example.test';
const here = ['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1'];
const outside = [
  'CAL_ISSUER',
  'CONF_B_BOT_KEYS_URL',
  'CONF_B_BOT_METADATA_URL',
  'CONF_B_LOGIN_URL',
  'CONF_B_REDIRECT_URI',
  'PLAY_INTEGRITY_URL',
  'SENDGRID_BASE_URL',
  'TWILIO_BASE_URL',
];
const pages = ['BASE_URL', 'S3_PUBLIC_ENDPOINT', 'TEMPORAL_UI_URL', 'S3_ENDPOINT'];
const onlyHttps = 'must be https';
const httpsOrHere = 'must be https, or on this machine';
const said = (name: string, message: string) => `Error: wrong settings: ${name}: ${message}`;

describe('the URLs in the settings', () => {
  it.each(outside)('must be https where codes and credentials are sent (%s)', (name) => {
    for (const url of [...here, elsewhere, 'http://127.0.0.1.example.test', 'HTTP://x.test']) {
      expect(refusal('production', { [name]: url }), url).toBe(said(name, onlyHttps));
    }
    for (const url of [elsewhere, 'http://10.0.0.1', 'http://localhost.example.test']) {
      expect(refusal('development', { [name]: url }), url).toBe(said(name, httpsOrHere));
    }
    for (const url of here) expect(refusal('development', { [name]: url }), url).toBeNull();
    for (const profile of ['production', 'development']) {
      expect(refusal(profile, { [name]: 'HTTPS://elsewhere.example.test' })).toBeNull();
    }
  });

  it.each(pages)('must be https or local where browsers go (%s)', (name) => {
    expect(refusal('production', { [name]: elsewhere })).toBe(said(name, httpsOrHere));
    expect(refusal('development', { [name]: elsewhere })).toBeNull();
    for (const url of here) expect(refusal('production', { [name]: url }), url).toBeNull();
  });

  it('may be http for internal services', () => {
    const S3_PUBLIC_ENDPOINT = 'https://objects.example.test';
    expect(refusal('production', { S3_ENDPOINT: elsewhere, S3_PUBLIC_ENDPOINT })).toBeNull();
    const free = [...names].filter((name) => {
      const isUrl = refusal('production', { [name]: 'no address' })?.includes('Invalid URL');
      return isUrl && refusal('production', { [name]: elsewhere }) === null;
    });
    // The first receives traces, the lists are signed, and the last is only compared.
    expect(free).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'CSCA_MASTER_LIST_URL',
      'CSCA_CRL_URLS',
      'CONF_B_BOT_ISSUER',
    ]);
  });
});
