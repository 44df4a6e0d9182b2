import { createElement } from 'preact';
import {
  ArrowLeft,
  Camera,
  Check,
  CircleAlert,
  CircleCheck,
  CircleX,
  Clock,
  IdCard,
  LoaderCircle,
  MessageSquareText,
  ScanFace,
  ShieldCheck,
  Smartphone,
  SmartphoneNfc,
  UserRound,
  X,
  type IconNode,
} from 'lucide';

const icons = {
  back: ArrowLeft,
  biometric: ScanFace,
  camera: Camera,
  close: X,
  device: Smartphone,
  document: IdCard,
  failed: CircleX,
  nfc_passport: SmartphoneNfc,
  passed: CircleCheck,
  person: UserRound,
  phone: MessageSquareText,
  safe: ShieldCheck,
  tick: Check,
  wait: Clock,
  warning: CircleAlert,
  work: LoaderCircle,
} satisfies Record<string, IconNode>;

export type IconName = keyof typeof icons;

/** A decorative icon. The text beside it has the same meaning. */
export function Icon({ name, size = 24 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class={`icon icon-${name}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {icons[name].map(([tag, attributes], index) =>
        createElement(tag, { ...attributes, key: index }),
      )}
    </svg>
  );
}

export const isIcon = (name: string): name is IconName => Object.hasOwn(icons, name);
