import type { PlatformStatus } from './state.ts';

/** What a person sees at the end of a start: every address, the credentials, three curl lines. */
export function boxOf(status: PlatformStatus): string {
  const { base_url: base, last_check: check, temporal_ui: ui } = status;
  const workflow = encodeURIComponent(`trust-check/${check?.link_session_id ?? ''}`);
  const namespace = status.temporal_namespace;
  const rows: [string, string][] = [
    ['API', base],
    ['OpenAPI', `${base}/openapi.json`],
    ['Outbox', status.outbox_url],
    [
      'Temporal UI',
      ui ? (check ? `${ui}/namespaces/${namespace}/workflows/${workflow}` : ui) : '–',
    ],
    ['Database', status.database_url],
    ['Account, app', `${status.account_id}, ${status.app_id}`],
    ['API key', status.api_key],
    ['Admin session', `${status.admin.session_token.slice(0, 24)}… (npm run -s status -- --json)`],
    ['Last check', check ? check.link_session_id : 'none'],
    [
      'Affidavit',
      check ? `${check.affidavit_path} (${check.verified ? 'valid' : 'NOT valid'})` : 'none',
    ],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`);
  return ['', 'trustcheck is running', '', ...lines, '', ...curlLines(status), ''].join('\n');
}

/** Paste-and-run: make a link, look at it, see the newest sessions. */
function curlLines({ base_url, api_key, app_id }: PlatformStatus): string[] {
  const auth = `-H 'Authorization: Bearer ${api_key}'`;
  const json = `-H 'Content-Type: application/json'`;
  return [
    `  curl -sX PUT ${base_url}/v2/link/${app_id} ${auth} ${json} -d '{"title":"First link"}'`,
    `  curl -s '${base_url}/v2/trust-checks?page_size=1' ${auth}`,
    `  curl -s '${base_url}/v2/events?limit=5' ${auth}`,
  ];
}
