import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookRefused } from '../../client/index.ts';
import { beginSession, newLink } from '../support/http/client.ts';
import { newAccount } from '../support/people/accounts.ts';
import { eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const folder = fileURLToPath(new URL('../../examples/python', import.meta.url));

const environmentOf = (account: { api_key: string; account_id: number; app_id: string }) => ({
  PATH: process.env['PATH'],
  // Keeps compiled files out of the folder of the example.
  PYTHONDONTWRITEBYTECODE: '1',
  TRUSTCHECK_URL: baseUrl,
  TRUSTCHECK_KEY: account.api_key,
  TRUSTCHECK_ACCOUNT: String(account.account_id),
  TRUSTCHECK_APP: account.app_id,
});

/** Runs a Python program with the client, and returns its JSON output. */
function python(program: string, input: unknown = null, account = own): Promise<unknown> {
  const head = 'import json, os, sys\nfrom trustcheck import *\ngiven = json.load(sys.stdin)\n';
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: environmentOf(account) };
    const child = execFile('python3', ['-c', head + program], options, (error, stdout, stderr) =>
      error ? reject(new Error(stderr, { cause: error })) : resolve(JSON.parse(stdout)),
    );
    child.stdin?.end(JSON.stringify(input));
  });
}

const client = `client = Client(os.environ["TRUSTCHECK_URL"], os.environ["TRUSTCHECK_KEY"])
app = os.environ["TRUSTCHECK_APP"]
`;

describe('the client for Python', () => {
  it('creates, updates and deletes links, and reads checks and events', async () => {
    const account = await newAccount(`python-${process.pid}`);
    const made = await python(
      `${client}link = client.create_link(app, required_proofs=["phone"], title="Größe ✓")
changed = client.update_link(app, link["link_uuid"], title="Other")
others = [client.create_link(app, required_proofs=["phone"]) for _ in range(3)]
listed = list(client.links(int(os.environ["TRUSTCHECK_ACCOUNT"]), app, page_size=2))
client.delete_link(app, others[0]["link_uuid"])
feed = client.follow_events(types="link.created")
first = [event["object_id"] for _, event in zip(range(4), feed)]
print(json.dumps({
  "title": link["title"], "changed": changed["title"], "listed": len(listed),
  "checks": len(list(client.checks())),
  "followed": first == [each["link_uuid"] for each in [link, *others]],
  "deleted": [event["object_id"] for event in client.events(types="link.deleted")]
    == [others[0]["link_uuid"]],
}))`,
      null,
      account,
    );
    expect(made).toEqual({
      title: 'Größe ✓',
      changed: 'Other',
      listed: 4,
      checks: 0,
      followed: true,
      deleted: true,
    });
  });

  it('reads and cancels a check, and raises the errors of the service', async () => {
    const { id } = await beginSession(await newLink());
    const read = await python(
      `${client}before = client.check(given)
after = client.cancel_check(given, "no longer needed")
try: client.cancel_check(given)
except ApiError as error: again = [error.status, error.code, error.request_id is not None]
try: client.create_link(app, requried_proofs=["phone"])
except ApiError as error: wrong = [error.status, error.code, error.detail[0]["loc"]]
try: Client(os.environ["TRUSTCHECK_URL"], "tk_live_none").check(given)
except ApiError as error: stranger = error.status
try: Client("http://127.0.0.1:1", "key", repeats_max=1).check(given)
except OSError as error: away = type(error).__name__
print(json.dumps([before["status"], after["status"], again, wrong, stranger, away]))`,
      id,
    );
    expect(read).toEqual([
      'created',
      'canceled',
      [409, 'invalid_state', true],
      [422, 'unknown_field', ['body', 'requried_proofs']],
      401,
      'URLError',
    ]);
  });

  it('verifies webhooks as the TypeScript client does', async () => {
    const now = 1_795_000_000;
    const key = Buffer.alloc(24, 7);
    const secret = `whsec_${key.toString('base64')}`;
    const sign = (text: string, time = String(now), id = 'msg_1', by: Uint8Array = key): string =>
      `v1,${createHmac('sha256', by).update(`${id}.${time}.${text}`).digest('base64')}`;
    const body = '{"type":"trust_check.passed"}';
    const good = sign(body);
    const headersOf = (signature: string, time = String(now), id = 'msg_1') => ({
      'Webhook-Id': id,
      'webhook-timestamp': time,
      'webhook-signature': signature,
    });
    const other = sign(body, String(now), 'msg_1', Buffer.alloc(24, 8));
    const cases: [headers: Record<string, string>, body: string, secret: string][] = [
      [headersOf(good), body, secret],
      [headersOf(`v2,x ${other} ${good}`), body, secret],
      [headersOf(`${`${other} `.repeat(10)}${good}`), body, secret],
      [headersOf(other), body, secret],
      [headersOf(good), `${body} `, secret],
      [headersOf(good, String(now), 'msg_2'), body, secret],
      [headersOf('v1,'), body, secret],
      [headersOf(good.slice(0, -4)), body, secret],
      [headersOf(sign(body, String(now - 301)), String(now - 301)), body, secret],
      [headersOf(sign(body, String(now + 301)), String(now + 301)), body, secret],
      [headersOf(sign(body, '1e9'), '1e9'), body, secret],
      [headersOf(sign(body, '٣'), '٣'), body, secret],
      [headersOf(sign('no json')), 'no json', secret],
      [headersOf(good), body, 'whsec_'],
      [headersOf(good), body, 'whsec_!'],
      [{ 'webhook-id': 'msg_1' }, body, secret],
    ];
    const expected = await Promise.all(
      cases.map(async ([headers, text, of]) =>
        verifyWebhook({ secret: of, headers, body: text, nowMs: now * 1000 }).then(
          ({ type }) => type,
          (error: unknown) => (error instanceof WebhookRefused ? error.code : String(error)),
        ),
      ),
    );
    const found = await python(
      `def judge(headers, body, secret):
  try: return verify_webhook(secret, headers, body.encode(), now=${now})["type"]
  except WebhookRefused as refused: return refused.code
print(json.dumps([judge(*each) for each in given]))`,
      cases,
    );
    expect(found).toEqual(expected);
    expect(new Set(expected).size).toBe(8);
  });

  it('receives the webhooks of an account, and removes its endpoint at the end', async () => {
    const account = await newAccount(`hooks-${process.pid}`);
    const child = spawn('python3', ['receive_webhooks.py'], {
      cwd: folder,
      env: environmentOf(account),
    });
    let printed = '';
    child.stdout.on('data', (part: Buffer) => (printed += part.toString()));
    child.stderr.on('data', (part: Buffer) => (printed += part.toString()));
    const ended = new Promise((resolve) => child.once('close', resolve));
    await eventually('the receiver', async () => printed.includes('listening at'));
    const [url = ''] = /http:\S+/.exec(printed) ?? [];
    const forged = await fetch(url, { method: 'POST', body: '{}' });
    expect(forged.status).toBe(400);
    const uuid = await python(
      `${client}print(json.dumps(client.create_link(app)["link_uuid"]))`,
      null,
      account,
    );
    await eventually('the webhook', async () => printed.includes(`link.created ${String(uuid)}`));
    child.kill('SIGINT');
    await ended;
    const left = await python(
      `${client}account = os.environ["TRUSTCHECK_ACCOUNT"]
print(json.dumps(list(client.items(f"/v2/accounts/{account}/webhook-endpoints", {}))))`,
      null,
      account,
    );
    expect(left).toEqual([]);
    expect(printed).not.toContain('Traceback');
  });
});
