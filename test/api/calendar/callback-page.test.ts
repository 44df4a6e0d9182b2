import { describe, expect, it } from 'vitest';
import { calendarPage } from '../../../api/calendar/ended-page.ts';
import { calendarResults } from '../../../api/calendar/schemas.ts';
import { directionOf, languages } from '../../../domain/languages/languages.ts';
import { catalogs } from '../../../domain/languages/say.ts';
import { calendarDenials } from '../../../workflows/calendar-oauth/state.ts';
import { call } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { begin, comeBack, connect, decide, newPerson } from '../../support/people/calendar.ts';
import { newKey } from '../../support/people/samples.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();

describe('calendar.callback without a return_to', () => {
  it('shows a page when the start named no return_to', async () => {
    const account = await newAccount('cal-pages');
    const query = { intent: 'routing' };
    const done = await connect(account.api_key, query);
    expect([done.status, done.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(done.text).toContain('The calendar is connected');
    expect(done.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('states the result in the language of the browser', async () => {
    const account = await newAccount('cal-languages');
    for (const language of ['he', 'ja'] as const) {
      const { authorizeUrl, cookie } = await begin(account.api_key, { intent: 'routing' });
      const path = await decide(authorizeUrl, newPerson('denies'));
      const headers = { cookie, accept: 'text/html', 'accept-language': `${language}, en;q=0.5` };
      const { text, headers: answered } = await call('GET', path, { headers });
      expect(answered.get('vary')).toBe('Accept, Accept-Language');
      expect(text).toContain(`<html lang="${language}" dir="${directionOf(language)}">`);
      expect(text).toContain(catalogs[language]['ended.denied']);
      expect(text).toContain(catalogs[language]['ended.reason.consent_denied']);
    }
  });

  it.each(languages)('has texts in %s for every result', (language) => {
    for (const status of calendarResults) {
      const { content } = calendarPage({ status, reason: null }, language);
      expect(content).toMatch(/<h1>.+<\/h1>/);
    }
    for (const reason of calendarDenials) {
      const { content } = calendarPage({ status: 'denied', reason }, language);
      expect(content).toContain(`<p>${catalogs[language][`ended.reason.${reason}`]}</p>`);
    }
  });

  it('answers a refusal with 400, as a page or as a problem', async () => {
    const token = await newKey(['ADMIN']);
    const query = { intent: 'routing', account_id: String(own.account_id) };
    for (const [accept, type] of [
      ['text/html,*/*;q=0.8', 'text/html; charset=utf-8'],
      ['application/problem+json', 'application/problem+json; charset=utf-8'],
      ['*/*', 'application/problem+json; charset=utf-8'],
    ] as const) {
      const { authorizeUrl, cookie } = await begin(token, query);
      const path = await decide(authorizeUrl, newPerson('denies'));
      const denied = await call('GET', path, { headers: { cookie, accept } });
      expect([denied.status, denied.headers.get('content-type')], accept).toEqual([400, type]);
      expect(denied.headers.get('vary')).toContain('Accept');
      expect(denied.headers.get('cache-control')).toBe('no-store');
      expect(denied.headers.get('referrer-policy')).toBe('no-referrer');
      expect(denied.headers.get('set-cookie')).toMatch(/^[^=]+=;.*Max-Age=0/i);
      if (type.startsWith('text')) expect(denied.text).toContain('Consent was not given');
      else {
        const problem = { cal: 'denied', cal_reason: 'consent_denied' };
        expect(denied.body).toMatchObject({ code: 'calendar_not_connected', ...problem });
      }
    }
    const { authorizeUrl } = await begin(token, query);
    const stray = await comeBack(await decide(authorizeUrl, newPerson()));
    expect([stray.status, stray.body['cal']]).toEqual([400, 'nonce_mismatch']);
  });
});
