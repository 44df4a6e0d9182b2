import { trustCheckStream } from '../../db/queries/events.ts';
import type { PlatformStatus } from '../data-directory/state.ts';
import type { PublicStatus } from './without-secrets.ts';

type BoxStatus = PlatformStatus | PublicStatus;

const secretsCommand = 'npm run -s status -- --secrets';

const headings = {
  running: 'trustcheck is running',
  left: 'trustcheck was killed, and parts of it still run; its last run',
  ended: 'trustcheck is not running; its last run',
} as const;

/**
 * Returns the summary at the end of a start: all addresses and three curl lines. For a platform
 * that is stopped or partly running, returns only what is still valid.
 */
export function boxOf(status: BoxStatus, state: keyof typeof headings): string {
  const width = 16;
  const isRunning = state === 'running';
  const rows = [...(isRunning ? addressesOf(status) : []), ...rowsOf(status)];
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}${value}`);
  const way = state === 'left' ? 'npm run stop' : 'npm start';
  const commands = isRunning ? curlLines(status) : restLines(status, way);
  return ['', headings[state], '', ...lines, '', ...commands.map((line) => `  ${line}`), ''].join(
    '\n',
  );
}

function addressesOf(status: BoxStatus): [string, string][] {
  const { base_url: base } = status;
  return [
    ['API', base],
    ['API docs', `${base}/docs`],
    ['Try a check', status.try_link_url],
    ['Outbox', status.outbox_url],
    ['Temporal UI', workflowAddress(status)],
    ['Temporal', `${status.temporal_address}, namespace ${status.temporal_namespace}`],
    ['Database', status.database_url],
  ];
}

/** Rows that stay valid after the platform has ended. */
function rowsOf(status: BoxStatus): [string, string][] {
  const { last_check: check } = status;
  const verdict = check?.verified ? 'valid' : 'NOT valid';
  return [
    ['Account, app', `${status.account_id}, ${status.app_id}`],
    ['API key', 'api_key' in status ? status.api_key : secretsCommand],
    ['Admin', `${status.admin.email}, ${status.admin.poly_user_id}`],
    ['Session tokens', `${secretsCommand} --json`],
    ['Check at start', check ? check.link_session_id : 'none'],
    ['Its affidavit', check ? `${check.affidavit_path} (${verdict})` : 'none'],
  ];
}

/** Returns the URL of the last check's workflow, or of the whole list. */
function workflowAddress(status: BoxStatus): string {
  const { temporal_ui: ui, last_check: check } = status;
  if (!ui) return 'where its operator has put it';
  const workflows = `${ui}/namespaces/${status.temporal_namespace}/workflows`;
  return check
    ? `${workflows}/${encodeURIComponent(`trust-check/${check.link_session_id}`)}`
    : workflows;
}

/** Reads the API key into the shell, so that no secret is printed. */
const readKey =
  `export TRUSTCHECK_KEY=$(${secretsCommand} --json | ` +
  `node -pe 'JSON.parse(fs.readFileSync(0, "utf8")).api_key')`;

/** Lines to paste: create a link, show the newest session, show the events of the last check. */
function curlLines({ base_url, app_id, last_check: check }: BoxStatus): string[] {
  const auth = '-H "Authorization: Bearer $TRUSTCHECK_KEY"';
  const json = `-H 'Content-Type: application/json'`;
  const stream = check ? `?stream=${trustCheckStream(check.link_session_id)}` : '';
  return [
    readKey,
    `curl -sX PUT ${base_url}/v2/link/${app_id} ${auth} ${json} -d '{"title":"First link"}'`,
    `curl -s '${base_url}/v2/trust-checks?page_size=1' ${auth}`,
    `curl -s '${base_url}/v2/events${stream}' ${auth}`,
  ];
}

/** Lines that work without a running platform. */
function restLines({ last_check: check }: BoxStatus, way: string): string[] {
  return [...(check ? [`npx trustcheck verify '${check.affidavit_path}'`] : []), way];
}
