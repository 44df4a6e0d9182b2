import { expect } from 'vitest';
import type { Device } from '../../../cli/phone/device.ts';
import { call, newLink } from '../../client.ts';
import { ownPlatform } from '../../own-platform.ts';
import { enrolledPhone } from '../../phone.ts';
import { freshNonce, rowOf } from '../ground.ts';
import { atOnce, expectFates, newAddress, told, untilAnswered, type Race } from '../race.ts';

const begun = '/v2/trust-checks';

const personOrPhone: Race = {
  name: 'person-or-phone',
  rule: 'a check is of whoever was told so first: who begins by a session, or whose phone pairs',
  statements: ['trust_checks.bind_person', 'trust_checks.project'],
  roundsMax: 60,
  async prepare() {
    const device: Device = await enrolledPhone();
    const { poly_user_id: person, session_token } = ownPlatform().own.member;
    return async (callers) => {
      const link_uuid = await newLink();
      const headers = newAddress();
      const page = await untilAnswered('POST', begun, {
        body: { link_uuid, client: 'web' },
        headers,
      });
      const id = String(page.body['link_session_id']);
      const token = String(page.body['check_token']);
      const pair_token = String(page.body['pair_url']).split('#p=')[1];
      await untilAnswered('POST', `${begun}/${id}/open`, { token, body: {} });
      const path = `${begun}/${id}/pair`;
      const pair = () => {
        const attest = device.attest({ method: 'POST', path, body: '{}' }, freshNonce());
        return call('POST', path, { token, raw: '{}', headers: { attest } });
      };
      const begin = () =>
        call('POST', begun, {
          token: session_token,
          body: { link_uuid, client: 'web', pair_token },
          headers,
        });
      const answers = await atOnce(callers, async (place) => {
        const isPhone = place % 2 === 0;
        for (;;) {
          const answer = await (isPhone ? pair() : begin());
          if (answer.status !== 503) return { ...answer, isPhone };
        }
      });
      const outcomes = answers.map(told);
      // Of one phone's calls the one that was signed later may be heard first.
      const late = ['409 invalid_state', '409 already_paired', '403 counter_replay'];
      expectFates(outcomes, {}, ['200', '201', ...late]);
      const row = await rowOf<{ poly_user_id: string; device_id: string | null }>(
        'SELECT poly_user_id, device_id FROM trust_checks WHERE link_session_id = $1',
        [id],
      );
      const isPaired = answers.some(({ status }) => status === 200);
      const isBegun = answers.some(({ status }) => status === 201);
      expect([isPaired, isBegun].filter(Boolean)).toHaveLength(1);
      expect(row).toEqual(
        isPaired
          ? { poly_user_id: device.enrolled?.polyUserId, device_id: device.enrolled?.deviceId }
          : { poly_user_id: person, device_id: null },
      );
      return outcomes;
    };
  },
};

const personLed: Race = {
  name: 'person-led',
  rule: 'whoever does not become the person of a check does not say where it leads',
  statements: ['trust_checks.bind_person', 'trust_checks.set_return_to'],
  roundsMax: 60,
  async prepare() {
    const { own, baseUrl } = ownPlatform();
    const rivals = [own.member, own.admin] as const;
    const placeOf = (id: string): string => `${baseUrl}/success/by-app/${own.app_id}?for=${id}`;
    return async (callers) => {
      const link_uuid = await newLink();
      const headers = newAddress();
      const page = await untilAnswered('POST', begun, {
        body: { link_uuid, client: 'web' },
        headers,
      });
      const pair_token = String(page.body['pair_url']).split('#p=')[1];
      const answers = await atOnce(callers, (place) => {
        const { poly_user_id, session_token: token } = rivals[place % 2 === 0 ? 0 : 1];
        const return_to = placeOf(poly_user_id);
        const body = { link_uuid, client: 'web', pair_token, return_to };
        return untilAnswered('POST', begun, { token, body, headers });
      });
      const outcomes = answers.map(told);
      expectFates(outcomes, {}, ['201', '409 invalid_state']);
      expect(outcomes).toContain('201');
      const row = await rowOf<{ poly_user_id: string; return_to: string }>(
        'SELECT poly_user_id, return_to FROM trust_checks WHERE link_session_id = $1',
        [String(page.body['link_session_id'])],
      );
      expect(row.return_to).toBe(placeOf(row.poly_user_id));
      return outcomes;
    };
  },
};

export const personRaces: readonly Race[] = [personOrPhone, personLed];
