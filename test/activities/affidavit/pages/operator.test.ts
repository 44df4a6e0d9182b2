import { describe, expect, it } from 'vitest';
import { operatorOf } from '../../../../activities/affidavit/operator.ts';

const whole = {
  OPERATOR_NAME: 'Example Operator Ltd',
  OPERATOR_ADDRESS: '1 Example Street',
  OPERATOR_CONTACT: 'contact@operator.example.test',
};

describe('the operator of the service', () => {
  it('is read from the settings with name, address and contact', () => {
    expect(operatorOf({ PROFILE: 'production', ...whole })).toEqual({
      legal_name: whole.OPERATOR_NAME,
      address: whole.OPERATOR_ADDRESS,
      contact: whole.OPERATOR_CONTACT,
    });
  });

  it('is required in production and optional in development', () => {
    expect(operatorOf({ PROFILE: 'development' })).toBeNull();
    expect(() => operatorOf({ PROFILE: 'production' })).toThrow(
      'wrong settings: OPERATOR_NAME, OPERATOR_ADDRESS, OPERATOR_CONTACT: required',
    );
  });

  it('is rejected when incomplete', () => {
    const { OPERATOR_CONTACT: _left, ...part } = whole;
    expect(() => operatorOf({ PROFILE: 'development', ...part })).toThrow(
      'wrong settings: OPERATOR_CONTACT: required',
    );
  });
});
