import type { Device } from '../../../simulator/device/device.ts';
import { wrongClaims, wrongTimes } from './claims.ts';
import { wrongAlgorithms, wrongForms } from './forms.ts';
import { wrongHeaders, wrongKeys, wrongSignatures } from './keys.ts';
import { wrongAggregates, wrongKinds } from './tokens.ts';
import type { WrongBundle } from './wrong-bundle.ts';

/**
 * Returns every known invalid bundle for `mine`. None may pass. `other` belongs to another person.
 */
export async function wrongBundles(mine: Device, other: Device): Promise<WrongBundle[]> {
  return [
    ...wrongForms(mine),
    ...wrongAlgorithms(mine),
    ...wrongHeaders(mine),
    ...(await wrongKinds(mine)),
    ...wrongKeys(mine, other),
    ...wrongSignatures(mine, other),
    ...wrongClaims(mine, other),
    ...wrongTimes(mine),
    ...(await wrongAggregates(mine, other)),
  ];
}
