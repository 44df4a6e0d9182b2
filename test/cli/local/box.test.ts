import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { PlatformStatus } from '../../../cli/data-directory/state.ts';
import { boxOf } from '../../../cli/local/box.ts';
import { withoutSecrets } from '../../../cli/local/without-secrets.ts';
import { addressOf, runPhone } from '../../support/browser/follow.ts';
import { newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, own } = ownPlatform();
const status: PlatformStatus = {
  ...own,
  base_url: baseUrl,
  temporal_address: '127.0.0.1:7233',
  temporal_namespace: 'default',
  temporal_ui: 'http://127.0.0.1:8233',
  database_url: databaseUrl,
  outbox_url: `${baseUrl}/outbox`,
  try_link_url: `${baseUrl}/v2/${own.app_id}/a-link`,
  codec_operator_token: 'c'.repeat(48),
  last_check: null,
};

const checked = {
  link_session_id: 'tc_1',
  affidavit_path: '/a/b.pdf',
  verified: true,
};

describe('the start summary', () => {
  it('prints commands that show the events of the last check, from first to last', async () => {
    const { link_session_id: id } = await runPhone(addressOf(await newLink()));
    const last_check = { ...checked, link_session_id: id };
    const box = boxOf({ ...status, last_check }, 'running');
    expect(box).toContain(`  Try a check     ${status.try_link_url}\n`);
    expect(box).toContain(`/workflows/${encodeURIComponent(`trust-check/${id}`)}\n`);
    const [, , line = ''] = box.split('\n').filter((each) => each.startsWith('  curl '));
    const said = execFileSync('bash', ['-c', line], {
      encoding: 'utf8',
      env: { ...process.env, TRUSTCHECK_KEY: own.api_key },
    });
    const { items } = JSON.parse(said) as { items: { type: string; object_id: string }[] };
    expect(items[0]?.type).toBe('trust_check.created');
    expect(items.map(({ type }) => type)).toContain('trust_check.passed');
    expect(new Set(items.map(({ object_id }) => object_id))).toEqual(new Set([id]));
  });

  it('shows no secret unless secrets are requested', () => {
    const addressed = { ...status, database_url: 'postgres://api:p%40ss@127.0.0.1:5432/db' };
    const shown = withoutSecrets(addressed);
    const secrets = [
      own.api_key,
      ...[own.admin, own.member, own.subject].map(({ session_token }) => session_token),
      status.codec_operator_token,
      'p%40ss',
    ];
    for (const text of [JSON.stringify(shown), boxOf(shown, 'running'), boxOf(shown, 'ended')]) {
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).toContain(own.app_id);
    }
    expect(shown.database_url).toBe('postgres://api@127.0.0.1:5432/db');
    expect(boxOf(addressed, 'running')).toContain(own.api_key);
  });

  it('shows only what works without a running platform after its end', () => {
    const last_check = checked;
    for (const known of [status, { ...status, last_check }]) {
      const box = boxOf(known, 'ended');
      expect(box).toMatch(/^\ntrustcheck is not running; its last run\n/);
      expect(box).toContain(own.api_key);
      expect(box).toContain('  Session tokens  npm run -s status -- --secrets --json\n');
      expect(box).toMatch(/\n {2}npm start\n$/);
      expect(box).not.toMatch(/curl|http:|postgres:/);
    }
    expect(boxOf({ ...status, last_check }, 'ended')).toContain(
      "\n  npx trustcheck verify '/a/b.pdf'\n",
    );
  });
});
