import { describe, expect, it } from 'vitest';
import { createIssuers } from '../../../activities/identity/sso/issuers.ts';
import {
  confBConsentConfig,
  createConfBConsent,
} from '../../../activities/meetings/platforms/consent.ts';
import { parseConfig } from '../../../activities/runtime/config.ts';
import { confBSettings } from '../../support/stand-ins/oauth/conf-b-login.ts';

const issuers = createIssuers({ allowPrivate: true, clock: () => new Date() });
const whole: Readonly<Record<string, string>> = confBSettings({
  url: 'https://login.example.test',
});
const made = (settings: Readonly<Record<string, string>>) =>
  createConfBConsent(parseConfig(confBConsentConfig, settings), issuers);

describe('the settings of consents to conference platform B', () => {
  it('are either absent or complete, including the roles that may connect', () => {
    expect(made({})).toBeNull();
    const names = Object.keys(whole);
    for (const name of names) {
      const { [name]: left = '', ...half } = whole;
      expect(() => made(half)).toThrow(new Error(`wrong settings: ${name}: required`));
      const others = names.filter((other) => other !== name).join(', ');
      expect(() => made({ [name]: left })).toThrow(
        new Error(`wrong settings: ${others}: required`),
      );
      // Docker Compose passes an unset variable as an empty string.
      expect(() => made({ ...half, [name]: '' })).toThrow(`${name}: required`);
    }
  });

  it.each([',', ' ', ' , ', 'a-role,', ',a-role', 'a-role,,another'])(
    'refuse a list with an empty role (%j)',
    (CONF_B_ADMIN_ROLES) => {
      const line = 'wrong settings: CONF_B_ADMIN_ROLES: must be ids with commas between';
      expect(() => made({ ...whole, CONF_B_ADMIN_ROLES })).toThrow(new Error(line));
    },
  );

  it('build the URL of the admin consent, with or without a trailing slash', () => {
    for (const url of ['https://login.example.test', 'https://login.example.test/']) {
      const address = made({ ...whole, CONF_B_LOGIN_URL: url })?.adminConsentUrl('a-state');
      const { origin, pathname, searchParams } = new URL(address ?? '');
      expect(`${origin}${pathname}`).toBe(
        'https://login.example.test/organizations/v2.0/adminconsent',
      );
      expect(Object.fromEntries(searchParams)).toEqual({
        client_id: whole['CONF_B_CLIENT_ID'],
        redirect_uri: whole['CONF_B_REDIRECT_URI'],
        scope: whole['CONF_B_SCOPE'],
        state: 'a-state',
      });
    }
  });
});
