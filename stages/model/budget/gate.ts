import type { FailureClass, GenerationKwargs, Input, Usage } from '../../../cache/records.js'
import type { AccessFailure } from '../model.js'

/** How an attempt that was let through ended. */
export type Ending =
  | { readonly type: 'answered'; readonly usage?: Usage | undefined }
  | {
      readonly type: 'failed'
      readonly class: FailureClass
      readonly message: string
      /** Whether the request is given up, and not tried again. */
      readonly isForGood: boolean
      /** Set where the server refused the key, the account or the model, and not this request. */
      readonly access?: AccessFailure | undefined
      /** Whether nobody was reached: the request was not sent. */
      readonly isUnreachable?: boolean
      /** Milliseconds for which the server wants to be left alone, where that is longer than anybody waits. */
      readonly awayMs?: number | undefined
      /** What the server bills nevertheless, if it says so. */
      readonly usage?: Usage | undefined
    }
  | { readonly type: 'broken-off' }
  /** Nothing of it reached the provider, or the provider refused it unread. It is not counted as sent. */
  | { readonly type: 'unsent' }
  /** Broken off since another copy of the request was answered, with such usage: what was done may be billed. */
  | { readonly type: 'overtaken'; readonly usage?: Usage | undefined }

/** The right to send one attempt. Told once how that ended; further calls change nothing. */
export type Permit = (ending: Ending) => void

/**
 * Stands before every attempt: what would go over a limit is not let through.
 *
 * Undefined says not now: ask again when an attempt that was let through has ended. When nothing more will be let
 * through, whoever made the gate ends the loop by its drain signal.
 */
export interface Gate {
  /** @param need `spare`: it need not be sent, so that nothing ends where there is no room for it. @default 'must' */
  admit(
    request: { readonly input: Input; readonly generation: GenerationKwargs },
    need?: 'must' | 'spare',
  ): Permit | undefined
  /** An attempt failed while none of its requests was under way. */
  failed?(ending: Extract<Ending, { readonly type: 'failed' }>): void
  /** Whether what need not be sent would be taken from what must. */
  readonly isScarce?: boolean
}
