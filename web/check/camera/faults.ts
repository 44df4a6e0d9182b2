/** Reasons why the camera delivers no picture. Each has a text with instructions. */
export const cameraFaults = [
  'blocked',
  'busy',
  'denied',
  'in_app',
  'insecure',
  'missing',
  'unsupported',
] as const;
export type CameraFault = (typeof cameraFaults)[number];

/** Matches user agents of embedded browsers in messengers and social networks. */
const inAppBrowser = /FBAN|FBAV|Instagram|Line\/|MicroMessenger|TikTok|Snapchat|; wv\)/;

/** Returns why no camera can be requested; null if one can. */
export function faultBeforeRequest(): CameraFault | null {
  if (!isSecureContext) return 'insecure';
  if (navigator.mediaDevices) return isBlockedByPolicy() ? 'blocked' : null;
  return isInApp() ? 'in_app' : 'unsupported';
}

const isInApp = (): boolean => inAppBrowser.test(navigator.userAgent);

/** A page that frames this one may deny the camera (Permissions Policy). */
function isBlockedByPolicy(): boolean {
  const policy: unknown = Reflect.get(document, 'featurePolicy');
  if (typeof policy !== 'object' || policy === null || !('allowsFeature' in policy)) return false;
  const { allowsFeature } = policy as { allowsFeature(name: string): boolean };
  return !allowsFeature.call(policy, 'camera');
}

/** Returns the fault behind an exception of `getUserMedia` (Media Capture and Streams §10.2). */
export function faultOf(error: unknown): CameraFault {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') {
    if (isBlockedByPolicy()) return 'blocked';
    // The advice for `denied` is about an address bar, which these browsers do not have.
    return isInApp() ? 'in_app' : 'denied';
  }
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing';
  return name === 'NotReadableError' || name === 'AbortError' ? 'busy' : 'unsupported';
}
