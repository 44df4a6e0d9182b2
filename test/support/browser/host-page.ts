import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { CheckEvent, Result } from '../../../web/sdk/messages.ts';
import { call } from '../http/client.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import { waitForScreen } from './follow.ts';
import { withMouse, type Person } from './person.ts';

export interface HostOptions {
  /** HTML that the page adds to its body. */
  readonly body?: string;
  /** JavaScript that the page runs in addition. */
  readonly script?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Host {
  readonly origin: string;
  close(): Promise<void>;
}

const loader = (baseUrl: string): string => `
  import { open } from '${baseUrl}/sdk/v1.js';
  window.events = [];
  window.display = (options, container) => {
    const controller = window.controller = new AbortController();
    window.result = open({
      ...options,
      ...(container ? { container: document.querySelector(container) } : {}),
      signal: controller.signal,
      onEvent: (event) => void window.events.push(event),
    });
  };
`;

/** Serves a customer's page that displays checks, on another origin than the service. */
export async function startHost({
  body = '',
  script = '',
  headers = {},
}: HostOptions = {}): Promise<Host> {
  const { baseUrl } = ownPlatform();
  const page = `<!doctype html><html lang="en"><title>Example shop</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <main><h1>Example shop</h1><button id="begin">Confirm who you are</button>${body}</main>
    <script type="module" src="/host.js"></script></html>`;
  const server = createServer((request, response) => {
    const isScript = request.url === '/host.js';
    const type = isScript ? 'text/javascript' : 'text/html; charset=utf-8';
    response.writeHead(200, { 'content-type': type, ...headers });
    response.end(isScript ? loader(baseUrl) + script : page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns the address of a link of a new app. Pages of these origins may frame its checks. */
export async function linkFor(
  origins: readonly string[],
  link: Record<string, unknown> = {},
  app: Record<string, unknown> = {},
): Promise<string> {
  const { own } = ownPlatform();
  const id = `app-${randomUUID().slice(0, 8)}`;
  const token = own.api_key;
  const body = { name: 'Example shop', kind: 'sdk', allowed_origins: origins, ...app };
  const made = await call('PUT', `/v2/accounts/${own.account_id}/apps/${id}`, { token, body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const given = { required_proofs: ['phone'], ...link };
  const { body: answer } = await call('PUT', `/v2/link/${id}`, { token, body: given });
  return String(answer['url']);
}

/** Waits without evaluating a function in the page, which its policy may forbid. */
const until = (at: Page | Frame, expression: string): Promise<void> =>
  expect.poll(() => at.evaluate<boolean>(expression)).toBe(true);

interface Shown {
  readonly url: string;
  readonly locale?: string;
}

/** Makes the page display a check, as its button does, without waiting for the end. */
export async function display(
  page: Page | Frame,
  options: Shown,
  container?: string,
): Promise<void> {
  await until(page, `'display' in window`);
  await page.locator('#begin').focus();
  await page.evaluate(`display(${JSON.stringify(options)}, ${JSON.stringify(container ?? null)})`);
}

/** Returns the frame of the check once its page has connected. */
export async function frameOf(page: Page): Promise<Frame> {
  await until(page, `window.events.some(({ type }) => type === 'ready')`);
  const element = await page.locator('iframe[sandbox]').elementHandle();
  const frame = await element?.contentFrame();
  if (!frame) throw new Error('no frame is displayed');
  return frame;
}

/**
 * Presses a control that removes the frame around it. Such a click may never be reported as done.
 */
export function leaveBy(...[person, ...what]: [Person, ...Parameters<Person['press']>]): void {
  void person.press(...what).catch(() => undefined);
}

/** Refuses consent in a frame, and returns to the page around it. */
export async function refuseIn(frame: Frame, app: string): Promise<void> {
  const person = withMouse(frame);
  await person.press('check.welcome.here');
  await waitForScreen(frame, 'consent');
  await person.press('check.consent.refuse');
  await waitForScreen(frame, 'declined');
  leaveBy(person, 'check.redirect.go', { app });
}

export const resultOf = (page: Page): Promise<Result> => page.evaluate<Result>('window.result');
export const eventsOf = (page: Page): Promise<CheckEvent[]> =>
  page.evaluate<CheckEvent[]>('window.events');
