import { createDiskStore } from '../../../../activities/storage/disk.ts';
import { randomIds } from '../../../../db/ids.ts';
import { keepLogo } from '../../../../db/queries/app-logos.ts';
import { blankImage } from '../../../../domain/images/blank-image.ts';
import { call, newLink } from '../../../support/http/client.ts';
import { ocspType, sealRequest } from '../../../support/keys/ocsp.ts';
import { queryType, timestampQuery } from '../../../support/keys/timestamps.ts';
import { meetingOnce, newMeetingLink, play, started } from '../../../support/people/meetings.ts';
import { eventually } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { eventsRequest, mailEvent } from '../../../support/stand-ins/mail/sendgrid-events.ts';
import { smsReport, twilioAccount } from '../../../support/stand-ins/phones/twilio-reports.ts';
import type { Stage } from '../stage.ts';
import type { MakeGolden } from './golden.ts';

const at =
  (path: string): MakeGolden =>
  () =>
    Promise.resolve({ path });

/** Stores a photo of a check as a submission does. */
async function newPhoto({ db, passed }: Stage): Promise<string> {
  const { baseUrl, dataDir } = ownPlatform();
  const secret = () => Buffer.alloc(32);
  const directory = `${dataDir}/objects`;
  const disk = createDiskStore({ directory, baseUrl, secret, clock: () => new Date() });
  const path = `${randomIds.bytes(32).toString('base64url')}.jpg`;
  const key = `photos/${path.replace(/^[-_]/, 'x')}`;
  await disk.put({ key, body: new Uint8Array([0xff, 0xd8]), contentType: 'image/jpeg' });
  await db.query(
    `INSERT INTO photos (object_path, link_session_id, object_key, content_type, created_at,
       expires_at) VALUES ($1, $2, $3, 'image/jpeg', now(), now() + interval '1 hour')`,
    [path, passed.id, key],
  );
  return path;
}

/** Returns the address of a stored logo of an app. */
async function newLogo({ db }: Stage): Promise<string> {
  const { own } = ownPlatform();
  const tx = await db.connect();
  try {
    await keepLogo(tx, own, Buffer.from(blankImage), new Date());
  } finally {
    tx.release();
  }
  const { body } = await call('GET', `/success/by-app/${own.app_id}?format_type=J`);
  const { logo_url } = body['app'] as { logo_url: string };
  return new URL(logo_url).pathname;
}

/** Creates an ended meeting. */
async function overMeeting(): Promise<string> {
  const host = await started(await newMeetingLink(), { display_name: 'A host' });
  await play(host, { kind: 'joined', participant_id: host.participant_id });
  await play(host, { kind: 'ended' });
  await meetingOnce(host, 'the end', ({ status }) => status === 'ended');
  return host.meeting_id;
}

/** Returns the address of a finished report. */
async function newReport(): Promise<string> {
  const { own, baseUrl } = ownPlatform();
  const body = { platform: 'sandbox', meeting_id: await overMeeting() };
  const made = await eventually('the report', async () => {
    const answer = await call('POST', '/v2/reports/meeting', { token: own.api_key, body });
    return answer.body['status'] === 'available' && answer;
  });
  return String(made.body['url']).slice(baseUrl.length);
}

/** A message that carried the code of a check. */
const reportedOn = (id: string) => ({
  sid: `SM${'0b'.repeat(16)}`,
  to: '+12025550123',
  from: '+12025550199',
  statusCallback: `${ownPlatform().baseUrl}/v2/sms/events?send=${id}.1.1`,
});

/** Good calls without a credential: pages, documents, keys, health, hooks. */
export function goldenPages(stage: Stage): Readonly<Record<string, MakeGolden>> {
  const { own } = ownPlatform();
  const ofLink = (path: (link: string) => string) => async () => ({ path: path(await newLink()) });
  const report = { subject: 'The camera does not start', description: 'It shows nothing.' };
  const hook = async () => ({ path: '/v2/conf-b/event', at: stage.confB.origin });
  return {
    'docs.openapi': at('/openapi.json'),
    'docs.asyncapi': at('/asyncapi.json'),
    'docs.home': at('/docs'),
    'docs.page': at('/docs/quick-start'),
    'docs.sectionPage': at('/docs/guides/api.md'),
    'docs.search': at('/docs/search?q=links'),
    'docs.reference': at('/docs/reference'),
    'docs.referencePage': at('/docs/reference/links'),
    'docs.failure': at('/docs/errors/not_found'),
    'docs.llms': at('/llms.txt'),
    'system.livez': at('/livez'),
    'system.readyz': at('/readyz'),
    'system.startupz': at('/startupz'),
    'system.logo': async () => ({ path: await newLogo(stage) }),
    'email.page': at('/email/verify'),
    'keys.platformJwks': at('/.well-known/jwks.json'),
    'keys.userJwks': at(`/users/${own.subject.poly_user_id}/.well-known/jwks.json`),
    'keys.iosAssociation': at('/.well-known/ios-app-site-association'),
    'keys.iosAssociationAtRoot': at('/ios-app-site-association'),
    'keys.assetLinks': at('/.well-known/assetlinks.json'),
    'keys.trustBundle': at('/pki/trust-bundle.pem'),
    'keys.authorityFile': async () => {
      const { body } = await call('GET', '/.well-known/jwks.json');
      const [key] = body['keys'] as { kid: string }[];
      return { path: `/pki/${key?.kid ?? ''}.cer` };
    },
    'keys.ocsp': async () => ({ path: '/pki/ocsp', raw: sealRequest(), headers: ocspType }),
    'keys.ocspByGet': async () => ({ path: `/pki/ocsp/${sealRequest().toString('base64')}` }),
    'timestamps.stamp': async () => ({ path: '/tsa', raw: timestampQuery(), headers: queryType }),
    'links.preview': ofLink((link) => `/v2/${own.app_id}/${link}`),
    'links.previewById': ofLink((link) => `/v2/${link}`),
    'links.details': ofLink((link) => `/v2/preview/J/${own.app_id}/${link}`),
    'links.firstRun': at('/v2/first-run'),
    'links.success': ofLink((link) => `/success/${link}`),
    'links.successByApp': at(`/success/by-app/${own.app_id}`),
    'links.ticket': async () => ({ path: `/v2/ticket/${own.app_id}`, body: report }),
    'links.ticketOfLink': async () => ({
      path: `/v2/ticket/${own.app_id}/${await newLink()}`,
      body: report,
    }),
    'logs.photo': async () => ({ path: `/v2/photo/photos/${await newPhoto(stage)}` }),
    'logs.makeReport': async () => ({
      path: '/v2/reports/meeting',
      token: own.api_key,
      body: { platform: 'sandbox', meeting_id: await overMeeting() },
    }),
    'logs.report': async () => ({ path: await newReport() }),
    'meetings.getByLink': async () => {
      const link = await newMeetingLink({ platform: 'conf-b' });
      return { path: `/v2/meeting-by-link/${link}` };
    },
    'meetings.confirmHook': async () => ({
      ...(await hook()),
      path: '/v2/conf-b/event?validationToken=a-token',
    }),
    'meetings.eventHook': async () => ({ ...(await hook()), body: { value: [] } }),
    'meetings.botHook': async () => ({ ...(await hook()), path: '/v2/conf-b/bot', body: {} }),
    'meetings.loaded': async () => ({ ...(await hook()), path: '/v2/conf-b/loaded', body: {} }),
    'mail.events': async () => ({
      path: '/v2/mail/events',
      ...eventsRequest([mailEvent('delivered', await newLink(), randomIds.make('ev'))]),
    }),
    'sms.events': async () => ({
      at: stage.confB.origin,
      ...smsReport(twilioAccount, reportedOn(stage.passed.id), 'delivered'),
    }),
    'log.checkpoint': at('/log/checkpoint'),
    'log.jwks': at('/log/.well-known/jwks.json'),
    'log.tile': async () => {
      await call('GET', '/log/checkpoint');
      return { path: '/log/tile/0/000.p/1' };
    },
    'log.proof': at(`/log/proof/${stage.passed.affidavit}`),
    'verify.page': at('/verify'),
    'verify.affidavit': at(`/verify/${stage.passed.affidavit}`),
  };
}
