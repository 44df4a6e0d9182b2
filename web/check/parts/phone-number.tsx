import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { CountryPicker } from './country-picker.tsx';
import { useWords } from './say.ts';

/** A phone number as the person typed it. */
export interface Typed {
  readonly country: string;
  readonly number: string;
}

export const untyped = (facts: CheckFacts): Typed => ({ country: guessCountry(facts), number: '' });

/** Converts the number to the request body of the service. */
export const bodyOf = ({ country, number }: Typed) => ({ phone_number: number, country });

interface Props {
  readonly facts: CheckFacts;
  readonly typed: Typed;
  readonly setTyped: (typed: Typed) => void;
}

/** The form fields for a phone number. */
export function NumberFields({ facts, typed, setTyped }: Props) {
  const { say } = useWords();
  const { country, number } = typed;
  return (
    <>
      <CountryPicker
        facts={facts}
        chosen={country}
        choose={(chosen) => setTyped({ country: chosen, number })}
      />
      <label>
        {say('check.phone.number')}
        <input
          type="tel"
          name="phone_number"
          inputMode="tel"
          autoComplete="tel"
          required
          maxLength={32}
          dir="ltr"
          value={number}
          onInput={({ currentTarget: { value } }) =>
            setTyped({ country: countryOf(value, facts) ?? country, number: value })
          }
        />
      </label>
    </>
  );
}

/** Returns the only country of the number's calling code; undefined if there is not exactly one. */
function countryOf(
  number: string,
  { callingCodes }: Pick<CheckFacts, 'callingCodes'>,
): string | undefined {
  const digits = number.replaceAll(/[^+\d]/g, '');
  const [only, another] = Object.keys(callingCodes).filter((country) =>
    digits.startsWith(`+${callingCodes[country]}`),
  );
  return another ? undefined : only;
}

/** Guesses the country from the language tag of the browser, else from the page's language. */
function guessCountry({
  language,
  callingCodes,
}: Pick<CheckFacts, 'language' | 'callingCodes'>): string {
  const [, named = ''] =
    /^[a-z]{2,3}-(?:[A-Z][a-z]{3}-)?([A-Z]{2})\b/.exec(navigator.language) ?? [];
  const likely = new Intl.Locale(language).maximize().region ?? '';
  const known = [named, likely].find((country) => country in callingCodes);
  return known ?? Object.keys(callingCodes)[0] ?? '';
}
