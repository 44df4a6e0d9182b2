/** The holder of a simulated license and its dates, as `YYYY-MM-DD`. */
export interface LicenceFields {
  /** Version of the AAMVA standard. */
  readonly version: number;
  readonly issuerNumber: string;
  readonly type: 'DL' | 'ID';
  readonly country: 'USA' | 'CAN';
  readonly surname: string;
  readonly givenNames: string;
  readonly documentNumber: string;
  readonly dateOfBirth: string;
  readonly issuedOn: string;
  readonly expiresOn: string;
  readonly sex: 'F' | 'M';
}

/**
 * Returns the content of the PDF417 barcode of such a card (AAMVA DL/ID Card Design Standard, annex
 * D).
 * @throws if the fields do not fit into a barcode
 */
export function licenceText(fields: LicenceFields): string {
  const { version, type } = fields;
  const elements = [...numberAndNames(fields), ...dates(fields), `DBC${sexOf(fields)}`];
  if (version > 1) elements.push(`DCG${fields.country}`);
  const body = `${type}${elements.join('\n')}\n\r`;
  const two = (number: number): string => String(number).padStart(2, '0');
  const four = (number: number): string => String(number).padStart(4, '0');
  const start = `@\n\x1e\rANSI ${fields.issuerNumber}${two(version)}${version > 1 ? '00' : ''}01`;
  if (body.length > 9999) throw new Error('too much for a barcode');
  return `${start}${type}${four(start.length + 10)}${four(body.length)}${body}`;
}

function numberAndNames({ version, surname, givenNames, documentNumber }: LicenceFields): string[] {
  const number = `DAQ${documentNumber}`;
  const [first = '', ...middle] = givenNames.split(' ');
  if (version === 1) return [number, `DAA${[surname, first, ...middle].join(',')}`];
  if (version < 4) return [number, `DCS${surname}`, `DCT${[first, ...middle].join(',')}`];
  const parts = [
    `DCS${surname}`,
    'DDEN',
    `DAC${first}`,
    'DDFN',
    `DAD${middle.join(' ') || 'NONE'}`,
  ];
  return [number, ...parts, 'DDGN'];
}

function dates({ version, country, ...fields }: LicenceFields): string[] {
  const spelt = (day: string): string => {
    const digits = day.replaceAll('-', '');
    return version > 1 && country === 'USA' ? digits.slice(4) + digits.slice(0, 4) : digits;
  };
  const { dateOfBirth, issuedOn, expiresOn } = fields;
  return [`DBB${spelt(dateOfBirth)}`, `DBD${spelt(issuedOn)}`, `DBA${spelt(expiresOn)}`];
}

function sexOf({ version, sex }: LicenceFields): string {
  if (version === 1) return sex;
  return sex === 'M' ? '1' : '2';
}
