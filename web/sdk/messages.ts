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
   * `invalid_url`, `frame_blocked` and `unsupported_browser` come from the calling page. All other
   * codes come from the service or its page in the frame.
   */
  readonly code: string;
  /** Instructions for developers. For a code of the service, in the language of the check. */
  readonly detail: string;
}

/** An event in the frame of a check. */
export type CheckEvent =
  /** The page of the check is displayed and can be used. */
  | { readonly type: 'ready' }
  /** Another screen is displayed, for example `welcome`, `consent` or `document-front`. */
  | { readonly type: 'step_changed'; readonly step: string }
  /**
   * `starting`, `live`, or why the camera delivers no picture: `denied`, `blocked`, `missing`, …
   */
  | { readonly type: 'camera_state'; readonly state: string }
  /** A proof, for example `document`, was submitted in this frame or on another device. */
  | { readonly type: 'submitted'; readonly proof: string }
  /** The check has an outcome. The frame stays until the person closes it. */
  | { readonly type: 'finished'; readonly link_session_id: string; readonly outcome: Outcome }
  /** The frame was closed before the check had an outcome. */
  | { readonly type: 'canceled' }
  | { readonly type: 'error'; readonly error: CheckError };

/**
 * How the person left the frame. It proves nothing: anyone can call your page. Your server reads
 * the outcome from the session (`GET /v2/trust-checks/{id}`) or from the webhook.
 */
export type Result =
  | { readonly status: 'finished'; readonly link_session_id: string; readonly outcome: Outcome }
  | { readonly status: 'canceled' }
  | { readonly status: 'error'; readonly error: CheckError };

/** A message from the page in the frame to the page around it. */
export type FrameMessage =
  | Exclude<CheckEvent, { readonly type: 'ready' | 'canceled' }>
  /** `title` names the frame for screen readers, in the language of the check. */
  | { readonly type: 'ready'; readonly title: string }
  /** The person wants to leave the frame. */
  | { readonly type: 'close' };

/**
 * The message that the embedding page sends to the frame once, with a port for all later messages.
 */
export const connectMessage = 'trustcheck:connect';
