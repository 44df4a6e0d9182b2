import { useEffect, useState } from 'preact/hooks';
import { pairingCodeOf } from '../session/state.ts';

/**
 * Returns a number that both screens of one check display, so that a person can compare them.
 * @param id id of the check; null for none
 * @returns an empty text until it is computed
 */
export function usePairingCode(id: string | null): string {
  const [code, setCode] = useState('');
  useEffect(() => {
    setCode('');
    if (id !== null) void pairingCodeOf(id).then(setCode);
  }, [id]);
  return code;
}
