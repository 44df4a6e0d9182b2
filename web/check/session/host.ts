import { useEffect, useState } from 'preact/hooks';
import { connectMessage, type FrameMessage } from '../../sdk/messages.ts';

/** The port to the embedding page; null until that page connects. */
let port: MessagePort | null = null;
/**
 * Messages for a page that has not connected yet. A page that frames without the SDK never does.
 */
let waiting: FrameMessage[] = [];
const waitingMax = 100;
const onConnect = new Set<() => void>();

/** Whether this page is in a frame; false while a server renders it. */
const isInFrame = (): boolean => typeof window !== 'undefined' && window.parent !== window;

/**
 * Accepts the port of the embedding page, once.
 * @param origins origins of the pages that may frame this one
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
  // A key pressed in a frame never reaches the dialog around the frame.
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !isListOpen()) leave();
  });
}

/** Whether Escape closes a list of this page. Older browsers have no popovers. */
const isListOpen = (): boolean =>
  'popover' in document.body && document.querySelector(':popover-open') !== null;

export function tellHost(message: FrameMessage): void {
  if (port) port.postMessage(message);
  else if (isInFrame()) waiting = [...waiting, message].slice(-waitingMax);
}

/** Asks the embedding page to close the frame. The check keeps its state. */
export const leave = (): void => port?.postMessage({ type: 'close' } satisfies FrameMessage);

/** Whether the person can return to the embedding page. */
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

/** Target of links that leave the check: a frame must not navigate the embedding page. */
export const useTarget = (): '_blank' | undefined => (useHost() ? '_blank' : undefined);
