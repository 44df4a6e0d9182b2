/** How a check ended, or `in_review` where a person decides it later. */
export type Outcome =
  | 'passed'
  | 'failed'
  | 'in_review'
  | 'declined'
  | 'expired'
  | 'abandoned'
  | 'canceled';

/** Why a check could not be displayed, or could not go on. */
export interface CheckError {
  /**
   * `invalid_url`, `frame_blocked` and `unsupported_browser` are of the page that calls; every
   * other code is of the service or its page in the frame.
   */
  readonly code: string;
  /** What to do, for developers; of a code of the service, in the language of the check. */
  readonly detail: string;
}

/** What happens in the frame of a check. */
export type CheckEvent =
  /** The page of the check is displayed and can be used. */
  | { readonly type: 'ready' }
  /** Another screen is displayed, as `welcome`, `consent` or `document-front`. */
  | { readonly type: 'step_changed'; readonly step: string }
  /** `starting`, `live`, or why the camera gives no picture: `denied`, `blocked`, `missing`, … */
  | { readonly type: 'camera_state'; readonly state: string }
  /** A proof, for example `document`, was submitted in this frame or on another device. */
  | { readonly type: 'submitted'; readonly proof: string }
  /** The check has an outcome. The frame stays until the person closes it. */
  | { readonly type: 'finished'; readonly link_session_id: string; readonly outcome: Outcome }
  /** The frame was closed before the check had an outcome. */
  | { readonly type: 'canceled' }
  | { readonly type: 'error'; readonly error: CheckError };

/**
 * How the person left the frame. It proves nothing: anyone can call your page. What came of the
 * check is in the session (`GET /v2/trust-checks/{id}`) and in the webhook, for your server.
 */
export type Result =
  | { readonly status: 'finished'; readonly link_session_id: string; readonly outcome: Outcome }
  | { readonly status: 'canceled' }
  | { readonly status: 'error'; readonly error: CheckError };

/** What the page in the frame sends to the page around it. */
export type FrameMessage =
  | Exclude<CheckEvent, { readonly type: 'ready' | 'canceled' }>
  /** `title` names the frame for screen readers, in the language of the check. */
  | { readonly type: 'ready'; readonly title: string }
  /** The person wants to leave the frame. */
  | { readonly type: 'close' };

/** What the page around the frame sends to it once, with a port for everything after. */
export const connectMessage = 'trustcheck:connect';
