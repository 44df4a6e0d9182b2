import { deadline } from '../runtime/cancellation.ts';
import { providerDown } from './provider.ts';

/** The response of a vendor. */
export interface VendorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty where the body exceeds the limit. */
  readonly text: string;
}

const answerLengthMax = 64 * 1024;

/**
 * Posts to a vendor's service and returns the response, whatever its status.
 * @param vendor name of the vendor in the failure
 * @param lengthMax of the body, in UTF-16 code units; 64 Ki by default
 * @throws Failure `dependency_unavailable` when there is no complete response in time
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
