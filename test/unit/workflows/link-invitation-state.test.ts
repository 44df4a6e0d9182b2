import { expect, it } from 'vitest';
import {
  deliveryStates,
  furthest,
  statesBefore,
  type DeliveryState,
} from '../../../workflows/link-invitation/state.ts';

it('the furthest delivery state wins, in any order of reports', () => {
  for (const first of deliveryStates) {
    for (const second of deliveryStates) {
      const known = furthest([first], 'queued') ?? 'queued';
      const end = furthest([second], known) ?? known;
      const both: DeliveryState = furthest([second, first], 'queued') ?? 'queued';
      expect([end, furthest([first, second], 'queued') ?? 'queued']).toEqual([both, both]);
      expect(furthest([first, second], both)).toBeNull();
    }
  }
  expect(statesBefore('queued')).toEqual([]);
  expect(statesBefore('delivered')).toEqual(['queued', 'sent', 'deferred', 'failed']);
  expect(furthest([], 'sent')).toBeNull();
});
