import { deadline } from '../runtime/cancellation.ts';
import { providerDown } from './provider.ts';

/** What a vendor of phones answered. */
export interface VendorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty where it is too long to be an answer. */
  readonly text: string;
}

const answerLengthMax = 64 * 1024;

/**
 * Posts to a vendor's service and reads what it says, whatever its status. Throws
 * `dependency_unavailable` where it says nothing in time.
 * @param vendor names it in the failure
 * @param lengthMax of what it says; 64 KiB unless told otherwise
 */
export async function postToVendor(
  vendor: string,
  url: string,
  timeoutMs: number,
  request: Pick<RequestInit, 'body' | 'headers'>,
  lengthMax = answerLengthMax,
): Promise<VendorAnswer> {
  try {
    const response = await fetch(url, {
      ...request,
      method: 'POST',
      redirect: 'error',
      signal: deadline(timeoutMs),
    });
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, text: await textOf(response, lengthMax) };
  } catch {
    throw providerDown(vendor, undefined);
  }
}

async function textOf(response: Response, lengthMax: number): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > lengthMax) return '';
  }
  return text;
}
