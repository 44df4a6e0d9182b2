import { X509Certificate } from 'node:crypto';
import { bindingOf } from '../../../activities/proofs/device/google/play-integrity.ts';
import { simulatedApp } from '../../../domain/proofs/device/simulated-app.ts';
import {
  mintToken,
  payloadOf,
  type Changes,
  type MintingKeys,
} from '../fixtures/devices/play-fixtures.ts';
import { call } from '../http/client.ts';
import { newChallenge, newPhone } from './phone.ts';

const { package: packageName, signature_digests: digests } = simulatedApp.android;

/** Creates a phone that is about to enroll, with the data for a request to Play. */
export async function comingPhone(appId: string) {
  // The test supplies Play's verdict itself.
  const phone = await newPhone('android', 'play_missing');
  const challenge = await newChallenge();
  const body = await phone.enrollment(challenge, appId);
  const { chain } = body['android'] as { chain: string[] };
  const leaf = Buffer.from(chain[0] ?? '', 'base64url');
  const binding = bindingOf(Buffer.from(challenge, 'base64url'), leaf);
  const enrolled = async (at: string, integrity?: object) => {
    const android = { chain, ...(integrity ? { integrity } : {}) };
    const answer = await call('POST', '/v2/devices', { at, body: { ...body, android } });
    if (answer.status === 201) {
      phone.enrolled = {
        deviceId: String(answer.body['device_id']),
        polyUserId: String(answer.body['poly_user_id']),
        certificateChain: answer.body['certificate_chain'] as string[],
      };
    }
    return answer;
  };
  const { publicKey } = new X509Certificate(leaf);
  const key = publicKey.export({ format: 'der', type: 'spki' });
  return { phone, key, binding, enrolled };
}

/** Play's verdict on a phone with the app of this test. */
export const said = (requestDetails: object, changes: Changes = {}) => {
  const certificateSha256Digest = digests.map((hex) =>
    Buffer.from(hex, 'hex').toString('base64url'),
  );
  return payloadOf(
    {
      ...changes,
      requestDetails: {
        requestPackageName: packageName,
        requestHash: undefined,
        ...requestDetails,
      },
      appIntegrity: { packageName, certificateSha256Digest, ...changes['appIntegrity'] },
    },
    new Date(),
  );
};

/** Mints the token of a classic request over a binding, as enrollment accepts it. */
export const classicBy =
  (keys: MintingKeys) =>
  async (binding: string, changes?: Changes): Promise<{ token: string; request: string }> => ({
    token: (await mintToken(keys, said({ nonce: binding }, changes))).token,
    request: 'classic',
  });
