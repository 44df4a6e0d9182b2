import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../activities/runtime/config.ts';
import { apiConfig, settingsOf } from '../../../api/config.ts';

const secret = (name: string): string => `secret-of-${name}-${'0'.repeat(32)}`;
const secrets = {
  CODEC_OPERATOR_TOKEN: secret('codec'),
  KEYS_PASSPHRASE: secret('keys'),
  S3_SECRET_ACCESS_KEY: secret('store'),
  TWILIO_AUTH_TOKEN: secret('sms'),
};
const given = {
  BASE_URL: 'https://trust.example.test',
  DATA_DIR: '/data',
  DATABASE_URL: `postgres://us:${secret('database')}@127.0.0.1/trustcheck`,
};
const settings = settingsOf(parseConfig(apiConfig, { ...given, ...secrets }));

describe('TRUSTED_PROXIES', () => {
  const of = (TRUSTED_PROXIES: string) => parseConfig(apiConfig, { ...given, TRUSTED_PROXIES });

  it('accepts addresses, ranges and names of ranges, separated by commas', () => {
    const { TRUSTED_PROXIES } = of('10.0.0.0/8, 127.0.0.1,fd00::/8 , ::1,loopback');
    expect(TRUSTED_PROXIES).toEqual(['10.0.0.0/8', '127.0.0.1', 'fd00::/8', '::1', 'loopback']);
  });

  it.each(['bogus', '10.0.0.0/33', '10.0.0.1,,10.0.0.2', '*', 'true', '1', '10.0.0.1 10.0.0.2'])(
    'refuses %s in an error with the name of the setting, but not its value',
    (value) => {
      const line =
        'wrong settings: TRUSTED_PROXIES: must be addresses or CIDR ranges with commas between';
      expect(() => of(value)).toThrow(new Error(line));
    },
  );

  it.each(['0.0.0.0/0', '::/0', '10.0.0.0/8,0.0.0.0/0', '203.0.113.7/0', '::/00'])(
    'refuses a range of all addresses: %s',
    (value) => {
      const line = /^wrong settings: TRUSTED_PROXIES: must (not be every address|be addresses)/;
      expect(() => of(value)).toThrow(line);
    },
  );

  it.each([
    '0.0.0.0/1,128.0.0.0/1',
    '128.0.0.0/1, loopback, 64.0.0.0/2, 0.0.0.0/2',
    '::/1,8000::/1',
    '::ffff:0:0/97,::ffff:128.0.0.0/97',
    '0.0.0.0/1,10.0.0.0/8,128.0.0.0/2,192.0.0.0/2',
  ])('refuses ranges that together cover all addresses: %s', (value) => {
    const line = 'wrong settings: TRUSTED_PROXIES: must not be every address there is';
    expect(() => of(value)).toThrow(new Error(line));
  });

  it('accepts ranges that cover most addresses', () => {
    const most = '0.0.0.0/1,128.0.0.0/2,192.0.0.0/3,::/1';
    expect(of(most).TRUSTED_PROXIES).toEqual(most.split(','));
    expect(of('0.0.0.0/1,10.0.0.0/10').TRUSTED_PROXIES).toEqual(['0.0.0.0/1', '10.0.0.0/10']);
  });
});

describe('the lifetimes of sessions', () => {
  const of = (more: Readonly<Record<string, string>>) =>
    settingsOf(parseConfig(apiConfig, { ...given, ...more })).sessionLivesMs;

  it('are one hour and twelve hours by default, and can be set', () => {
    expect(of({})).toEqual({ cert: 3600_000, email: 12 * 3600_000 });
    const set = { SESSION_CERT_SECONDS: '60', SESSION_EMAIL_SECONDS: '86400' };
    expect(of(set)).toEqual({ cert: 60_000, email: 86_400_000 });
  });

  it.each(['0', '59', '86401', '1h', '-60', '60.5'])('cannot be %s', (value) => {
    for (const name of ['SESSION_CERT_SECONDS', 'SESSION_EMAIL_SECONDS']) {
      expect(() => of({ [name]: value })).toThrow(`wrong settings: ${name}: `);
    }
  });
});

it.each(['0', '61', '3s', '-1', '0.5'])(
  'the timeout of calls to the workflow server cannot be %s',
  (value) => {
    expect(() => parseConfig(apiConfig, { ...given, TEMPORAL_CALL_SECONDS: value })).toThrow(
      'wrong settings: TEMPORAL_CALL_SECONDS: ',
    );
  },
);

describe('the origins of a local address', () => {
  const local = {
    ...given,
    BASE_URL: 'http://127.0.0.1:8080',
    TEMPORAL_UI_URL: 'http://localhost:1',
  };
  const of = (more: Readonly<Record<string, string>>) =>
    settingsOf(parseConfig(apiConfig, { ...local, ...more }));
  const namesAt = (port: number) =>
    ['localhost', '127.0.0.1'].map((name) => `http://${name}:${port}`);

  it('are both local names in development', () => {
    const { origins, temporalUiOrigins } = of({ PROFILE: 'development' });
    expect([origins, temporalUiOrigins]).toEqual([namesAt(8080), namesAt(1)]);
    const elsewhere = of({ PROFILE: 'development', BASE_URL: given.BASE_URL });
    expect(elsewhere.origins).toEqual([given.BASE_URL]);
  });

  it('are only the configured one in production', () => {
    const { origins, temporalUiOrigins } = of({});
    expect([origins, temporalUiOrigins]).toEqual([
      ['http://127.0.0.1:8080'],
      ['http://localhost:1'],
    ]);
  });
});

describe('the settings of handlers', () => {
  it('contain no secret, however they are printed', () => {
    for (const shown of [JSON.stringify(settings), inspect(settings, { showHidden: true })]) {
      expect(shown).toContain(given.BASE_URL);
      expect(shown).not.toContain('secret-of-');
    }
  });

  it('distinguish the operator’s token from any other', () => {
    const { isCodecOperator } = settings;
    expect(isCodecOperator(secrets.CODEC_OPERATOR_TOKEN)).toBe(true);
    for (const wrong of ['', 'x', secrets.CODEC_OPERATOR_TOKEN.slice(1), secrets.KEYS_PASSPHRASE]) {
      expect(isCodecOperator(wrong)).toBe(false);
    }
    const without = settingsOf(parseConfig(apiConfig, given));
    for (const offered of ['', 'undefined', 'null']) {
      expect(without.isCodecOperator(offered)).toBe(false);
    }
  });
});
