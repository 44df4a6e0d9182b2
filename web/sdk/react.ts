import { createElement, useCallback, useEffect, useRef, useState } from 'react';
import { open, type OpenOptions, type Result } from './open.ts';

export type { CheckError, CheckEvent, OpenOptions, Outcome, Result } from './open.ts';

export interface TrustCheckProps extends Pick<OpenOptions, 'url' | 'locale' | 'onEvent'> {
  /** Called once when the person leaves the check. Not called when the component unmounts. */
  readonly onResult?: ((result: Result) => void) | undefined;
}

/** Displays the check of a link in place, as large as the element around it. */
export function TrustCheck({ url, locale, onEvent, onResult }: TrustCheckProps) {
  const place = useRef<HTMLDivElement>(null);
  const handlers = useRef({ onEvent, onResult });
  handlers.current = { onEvent, onResult };
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    void open({
      url,
      locale,
      signal,
      container: place.current ?? undefined,
      onEvent: (event) => signal.aborted || handlers.current.onEvent?.(event),
    }).then((result) => signal.aborted || handlers.current.onResult?.(result));
    return () => controller.abort();
  }, [url, locale]);
  return createElement('div', { ref: place, style: { blockSize: '100%' } });
}

/**
 * Opens checks in a modal dialog. The dialog closes when the component unmounts, and its promise
 * resolves to `canceled`.
 */
export function useTrustCheck(): {
  readonly open: (options: Omit<OpenOptions, 'signal' | 'container'>) => Promise<Result>;
  readonly isOpen: boolean;
} {
  const [isOpen, setOpen] = useState(false);
  const mounted = useRef<AbortController | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    mounted.current = controller;
    return () => controller.abort();
  }, []);
  const show = useCallback(async (options: Omit<OpenOptions, 'signal' | 'container'>) => {
    const signal = mounted.current?.signal;
    setOpen(true);
    const result = await open({ ...options, signal });
    if (!signal?.aborted) setOpen(false);
    return result;
  }, []);
  return { open: show, isOpen };
}
