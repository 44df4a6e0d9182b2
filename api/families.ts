import { accounts } from './accounts/index.ts';
import { apiKeys } from './api-keys/index.ts';
import { apps } from './apps/index.ts';
import { audit } from './audit/index.ts';
import { calendar } from './calendar/index.ts';
import { codec } from './codec/index.ts';
import { deliveries } from './deliveries/index.ts';
import { devices } from './devices/index.ts';
import { docs } from './docs/index.ts';
import { email } from './email/index.ts';
import { events } from './events/index.ts';
import type { Family } from './http/contract.ts';
import { keys } from './keys/index.ts';
import { links } from './links/index.ts';
import { log } from './log/index.ts';
import { logs } from './logs/index.ts';
import { mail } from './mail/index.ts';
import { meetings } from './meetings/index.ts';
import { members } from './members/index.ts';
import { proofs } from './proofs/index.ts';
import { rateLimits } from './rate-limits/index.ts';
import { recoveries } from './recoveries/index.ts';
import { sandbox } from './sandbox/index.ts';
import { session } from './session/index.ts';
import { sms } from './sms/index.ts';
import { ssoProviders } from './sso-providers/index.ts';
import { system } from './system/index.ts';
import { timestamps } from './timestamps/index.ts';
import { trustChecks } from './trust-checks/index.ts';
import { verify } from './verify/index.ts';
import { webhookEndpoints } from './webhook-endpoints/index.ts';

/** Every family of the API, in the order of its document. */
export const families: readonly Family[] = [
  session,
  email,
  keys,
  logs,
  links,
  meetings,
  calendar,
  mail,
  sms,
  devices,
  trustChecks,
  proofs,
  events,
  webhookEndpoints,
  deliveries,
  accounts,
  members,
  recoveries,
  apiKeys,
  apps,
  ssoProviders,
  audit,
  rateLimits,
  sandbox,
  verify,
  log,
  timestamps,
  docs,
  system,
  codec,
];
