import { generateKeyPairSync } from 'node:crypto';
import { randomIds } from '../../../db/ids.ts';
import { publicJwkOf } from '../../../domain/pki/x509/thumbprint.ts';
import type { SigningRequest } from '../../../workflows/signing/messages.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import type { Scenario, Stage } from '../scenario.ts';

/** Signatures by workers, as the API asks for them. */
export const signingScenarios: readonly Scenario[] = [
  {
    type: 'signing',
    scenario: 'certificate',
    play: (stage) => sign(stage, certificate()),
    ends: {},
  },
  {
    type: 'signing',
    scenario: 'revocation-list',
    play: (stage) => sign(stage, revocationList(stage.keys.peopleCa.kid)),
    ends: { der: null },
  },
  {
    type: 'signing',
    scenario: 'unknown-issuer',
    play: (stage) => sign(stage, revocationList('unknown')),
    ends: { failure: 'not_found' },
  },
];

function certificate(): SigningRequest {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const public_jwk = publicJwkOf(publicKey);
  return { kind: 'user_certificate', poly_user_id: randomIds.make('pu'), public_jwk };
}

const revocationList = (kid: string): SigningRequest => ({
  kind: 'revocation_list',
  issuer_kid: kid,
});

async function sign({ client }: Stage, request: SigningRequest): Promise<string> {
  const workflowId = `signing/${randomIds.uuid()}`;
  const start = { workflowId, taskQueue: taskQueues.core, args: [request] };
  await client.workflow.start('signing', start);
  return workflowId;
}
