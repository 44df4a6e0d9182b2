import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { tellHost } from '../session/host.ts';
import { Icon, type IconName } from './icon.tsx';
import { useWords } from './say.ts';

interface ScreenProps {
  /** Step number and count; omitted if the screen is not a step. */
  readonly step?: { readonly number: number; readonly count: number } | undefined;
  readonly icon?: IconName;
  /** The object to show to the camera. The page's style draws it (`drawings`). */
  readonly drawing?: string | undefined;
  readonly title: string;
  readonly lead?: string | undefined;
  readonly name: string;
  /** The current part of the task, if its controls change during the task. */
  readonly part?: string;
  readonly children?: ComponentChildren;
}

/** One task: its content, and a title that receives the focus when the screen appears. */
export function Screen({ step, icon, drawing, title, lead, name, part, children }: ScreenProps) {
  const { say } = useWords();
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), [name, part]);
  // A layout effect runs before later messages of the screen, such as the end of the check.
  useLayoutEffect(() => tellHost({ type: 'step_changed', step: name }), [name]);
  return (
    <section class="sheet screen" data-screen={name} aria-labelledby="screen-title">
      {step && (
        <p class="soft small step">
          {say('check.step', { number: step.number, count: step.count })}
          <progress value={step.number} max={step.count} aria-hidden="true" />
        </p>
      )}
      {icon && (
        <p class="picture">
          <Icon name={icon} size={48} />
        </p>
      )}
      {drawing && <p class={`drawing ${drawing}`} aria-hidden="true" />}
      <h1 id="screen-title" ref={heading} tabIndex={-1}>
        <bdi>{title}</bdi>
      </h1>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </section>
  );
}

/** A message that screen readers announce when it appears. */
export function Notice({
  tone,
  children,
}: {
  readonly tone: 'bad' | 'wait';
  readonly children: ComponentChildren;
}) {
  const notice = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    // The pressed button was disabled meanwhile and lost the focus.
    const isLost = document.activeElement === document.body && document.hasFocus();
    if (tone === 'bad' && isLost) notice.current?.focus();
  }, []);
  return (
    <p
      ref={notice}
      class={`notice ${tone}`}
      role={tone === 'bad' ? 'alert' : 'status'}
      tabIndex={-1}
    >
      <Icon name={tone === 'bad' ? 'warning' : 'wait'} size={20} />
      <span>{children}</span>
    </p>
  );
}

/** Shows that the service is working, and what the person can do meanwhile. */
export function Working({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="working" role="status">
      <Icon name="work" />
      <span>{children}</span>
    </p>
  );
}
