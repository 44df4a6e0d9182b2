import { describe, expect, it } from 'vitest';
import { confBConsentConfig, createConfBConsent } from '../../../activities/meetings/consent.ts';
import { createIssuers } from '../../../activities/sso/issuers.ts';
import { confBSettings } from '../../stand-ins/conf-b-login.ts';

const issuers = createIssuers({ allowPrivate: true, clock: () => new Date() });
const whole = confBSettings({ url: 'https://login.example.test' });
const made = (settings: Readonly<Record<string, string>>) =>
  createConfBConsent(confBConsentConfig.parse(settings), issuers);

describe('the settings of consents to conference platform B', () => {
  it('are whole, or none', () => {
    expect(made({})).toBeNull();
    const { CONF_B_SCOPE, CONF_B_ADMIN_ROLES, ...half } = whole;
    expect(() => made(half)).toThrow('wrong settings: CONF_B_SCOPE: required');
    expect(() => made({ CONF_B_SCOPE })).toThrow(
      'wrong settings: CONF_B_CLIENT_ID, CONF_B_CLIENT_SECRET, CONF_B_LOGIN_URL, ' +
        'CONF_B_REDIRECT_URI: required',
    );
    // A list of roles is no provider.
    expect(made({ CONF_B_ADMIN_ROLES })).toBeNull();
  });

  it('say where an administrator is led, with or without a slash at the end', () => {
    for (const url of ['https://login.example.test', 'https://login.example.test/']) {
      const address = made({ ...whole, CONF_B_LOGIN_URL: url })?.adminConsentUrl('a-state');
      const { origin, pathname, searchParams } = new URL(address ?? '');
      expect(`${origin}${pathname}`).toBe(
        'https://login.example.test/organizations/v2.0/adminconsent',
      );
      expect(Object.fromEntries(searchParams)).toEqual({
        client_id: whole.CONF_B_CLIENT_ID,
        redirect_uri: whole.CONF_B_REDIRECT_URI,
        scope: whole.CONF_B_SCOPE,
        state: 'a-state',
      });
    }
  });
});
