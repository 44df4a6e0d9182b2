import { useEffect, useState } from 'preact/hooks';
import { connectMessage, type FrameMessage } from '../../sdk/messages.ts';

/** The port to the page around this frame; null until that page connects. */
let port: MessagePort | null = null;
/** Messages for a page that has not connected yet. One that frames without the SDK never does. */
let waiting: FrameMessage[] = [];
const waitingMax = 100;
const onConnect = new Set<() => void>();

/** Whether this page is in a frame; false while a server renders it. */
const isInFrame = (): boolean => typeof window !== 'undefined' && window.parent !== window;

/**
 * Takes the port of the page around the frame, once.
 * @param origins of the pages that may frame this one
 */
export function listenToHost(origins: readonly string[]): void {
  if (!isInFrame()) return;
  addEventListener('message', ({ source, origin, data, ports: [given] }) => {
    const isHost = source === window.parent && origins.includes(origin);
    if (port || !given || !isHost || data !== connectMessage) return;
    port = given;
    port.postMessage({ type: 'ready', title: document.title } satisfies FrameMessage);
    for (const message of waiting) port.postMessage(message);
    waiting = [];
    for (const note of onConnect) note();
  });
  // A key that is pressed in a frame never reaches the dialog around it.
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !isListOpen()) leave();
  });
}

/** Whether Escape closes a list of this page. Old browsers have no popovers. */
const isListOpen = (): boolean =>
  'popover' in document.body && document.querySelector(':popover-open') !== null;

export function tellHost(message: FrameMessage): void {
  if (port) port.postMessage(message);
  else if (isInFrame()) waiting = [...waiting, message].slice(-waitingMax);
}

/** Asks the page around the frame to close it. What the check has so far stays. */
export const leave = (): void => port?.postMessage({ type: 'close' } satisfies FrameMessage);

/** Whether the person can leave this page for the one around it. */
export function useHost(): boolean {
  const [isConnected, setConnected] = useState(false);
  useEffect(() => {
    const note = (): void => setConnected(port !== null);
    note();
    onConnect.add(note);
    return () => void onConnect.delete(note);
  }, []);
  return isConnected;
}

/** Where a link that leaves the check opens: a frame may not take the page around it along. */
export const useTarget = (): '_blank' | undefined => (useHost() ? '_blank' : undefined);
