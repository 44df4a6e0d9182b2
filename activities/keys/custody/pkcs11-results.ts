import { CustodyError, type CustodyFault } from './custody-error.ts';

/** Results of functions (PKCS#11 2.40 §5.1) with their faults. Other results count as temporary. */
const results: Readonly<Record<number, readonly [string, CustodyFault]>> = {
  0x05: ['CKR_GENERAL_ERROR', 'unreachable'],
  0x06: ['CKR_FUNCTION_FAILED', 'unreachable'],
  0x12: ['CKR_ATTRIBUTE_TYPE_INVALID', 'unusable'],
  0x30: ['CKR_DEVICE_ERROR', 'unreachable'],
  0x32: ['CKR_DEVICE_REMOVED', 'unreachable'],
  0x60: ['CKR_KEY_HANDLE_INVALID', 'unreachable'],
  0x63: ['CKR_KEY_TYPE_INCONSISTENT', 'unusable'],
  0x68: ['CKR_KEY_FUNCTION_NOT_PERMITTED', 'unusable'],
  0x70: ['CKR_MECHANISM_INVALID', 'unusable'],
  0x82: ['CKR_OBJECT_HANDLE_INVALID', 'unreachable'],
  0x90: ['CKR_OPERATION_ACTIVE', 'unreachable'],
  0xa0: ['CKR_PIN_INCORRECT', 'denied'],
  0xa1: ['CKR_PIN_INVALID', 'denied'],
  0xa2: ['CKR_PIN_LEN_RANGE', 'denied'],
  0xa3: ['CKR_PIN_EXPIRED', 'denied'],
  0xa4: ['CKR_PIN_LOCKED', 'denied'],
  0xb0: ['CKR_SESSION_CLOSED', 'unreachable'],
  0xb3: ['CKR_SESSION_HANDLE_INVALID', 'unreachable'],
  0xe0: ['CKR_TOKEN_NOT_PRESENT', 'unreachable'],
  0xe1: ['CKR_TOKEN_NOT_RECOGNIZED', 'unreachable'],
  0x101: ['CKR_USER_NOT_LOGGED_IN', 'unreachable'],
  0x102: ['CKR_USER_PIN_NOT_INITIALIZED', 'denied'],
  0x150: ['CKR_BUFFER_TOO_SMALL', 'unusable'],
  0x190: ['CKR_CRYPTOKI_NOT_INITIALIZED', 'unreachable'],
};

/** Results that mean the session or its state is lost. The same call may succeed in a new one. */
const lost: readonly number[] = [
  0x30, 0x32, 0x60, 0x82, 0x90, 0xb0, 0xb3, 0xe0, 0xe1, 0x101, 0x190,
];

class SessionLost extends CustodyError {}

/** Reports whether the failed call is worth a retry in a new session. */
export const isSessionLost = (error: unknown): boolean => error instanceof SessionLost;

/**
 * Checks the result of a function.
 * @param fine results besides CKR_OK that count as success
 * @throws CustodyError that names the function and the result
 */
export function checked(name: string, result: number, fine: readonly number[] = []): void {
  if (result === 0 || fine.includes(result)) return;
  const [said, fault] = results[result] ?? [`0x${result.toString(16)}`, 'unreachable'];
  const message = `${name} of the token says ${said}`;
  if (lost.includes(result)) throw new SessionLost(fault, message);
  throw new CustodyError(fault, message);
}
