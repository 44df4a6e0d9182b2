import { expect } from 'vitest';
import { revokeForKey } from '../../../../activities/proofs/device/google/revoke-listed.ts';
import { transaction } from '../../../../db/client.ts';
import { addCertUser, findDevice, insertDevice } from '../../../../db/queries/devices.ts';
import { beginRecall, flagDevice, keepFlag, keepRecall } from '../../../../db/queries/recalls.ts';
import { atOnce, type Race } from '../../../support/races/race.ts';
import { stage, staged } from '../../../support/races/stage.ts';

async function newDevice(on: Awaited<ReturnType<typeof stage>>) {
  const [deviceId, polyUserId] = [on.ids.make('dev'), on.ids.make('pu')];
  await transaction(on.db, async (tx) => {
    await addCertUser(tx, polyUserId, new Date());
    await insertDevice(tx, {
      device_id: deviceId,
      poly_user_id: polyUserId,
      app_id: on.own.app_id,
      platform: 'android',
      attested_key_id: deviceId,
      public_key_spki: Buffer.alloc(1),
      evidence_sealed: Buffer.alloc(1),
      verdict: {},
      signing_kid: deviceId,
      name: null,
      created_at: new Date(),
      attestation_serials: ['1'],
    });
  });
  return { device_id: deviceId, app_id: on.own.app_id };
}

const keyRevoked: Race = {
  name: 'device-key-revoked',
  rule: 'a device whose key is listed is revoked once, and the audit log says so once',
  statements: ['devices.revoke_for'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const device = await newDevice(on);
      const { device_id: deviceId } = device;
      await atOnce(callers, () => revokeForKey(on.db, device, new Date()));
      const row = await findDevice(on.db, deviceId);
      expect([row?.revoked_for, row?.ends_checks]).toEqual(['key_revoked', true]);
      const told = await staged(on, 'SELECT action FROM audit_rows WHERE object_id = $1', [
        deviceId,
      ]);
      expect(told).toEqual([{ action: 'device.revoked' }]);
      return Array.from({ length: callers }, () => 'revoked');
    };
  },
};

const recallTold: Race = {
  name: 'device-recall-told',
  rule: 'what a vendor recalls of a phone is kept once, and once more where it is a flag by then',
  statements: ['devices.recall_told', 'devices.recall_flagged'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { device_id: deviceId } = await newDevice(on);
      await transaction(on.db, (tx) => beginRecall(tx, deviceId, Buffer.alloc(1)));
      const told = await atOnce(callers, () =>
        transaction(on.db, (tx) =>
          keepRecall(tx, [deviceId, Buffer.alloc(1), new Date(), true, false]),
        ),
      );
      expect(told.filter((row) => row !== null)).toHaveLength(1);
      const flags = await atOnce(callers, () =>
        transaction(on.db, (tx) => keepFlag(tx, [deviceId, Buffer.alloc(1), new Date(), false])),
      );
      expect(flags.flatMap((row) => row?.reinstall_detected ?? [])).toEqual([true]);
      return told.map((row) => (row ? 'kept' : 'kept before'));
    };
  },
};

const flagged: Race = {
  name: 'device-flagged',
  rule: 'a phone is flagged once',
  statements: ['devices.flag'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { device_id: deviceId } = await newDevice(on);
      await transaction(on.db, (tx) => beginRecall(tx, deviceId, Buffer.alloc(1)));
      const flags = await atOnce(callers, () =>
        transaction(on.db, (tx) => flagDevice(tx, deviceId)),
      );
      expect(flags.filter((flag) => flag !== null)).toEqual(['pending']);
      return flags.map((flag) => flag ?? 'flagged before');
    };
  },
};

export const deviceRaces: readonly Race[] = [keyRevoked, recallTold, flagged];
