import type { FailureClass, GenerationKwargs, Input, Usage } from '../../../cache/records.js'
import type { AccessFailure } from '../model.js'

/** The end of an admitted attempt. */
export type Ending =
  | { readonly type: 'answered'; readonly usage?: Usage | undefined }
  | {
      readonly type: 'failed'
      readonly class: FailureClass
      readonly message: string
      /** True if the request failed and is not retried. */
      readonly isForGood: boolean
      /** Set if the server refused the access (key, account or model) and not this request. */
      readonly access?: AccessFailure | undefined
      /** True if the server was unreachable, so that the request was not sent. */
      readonly isUnreachable?: boolean
      /** The wait that the server asks for, in milliseconds, if it exceeds the maximum. */
      readonly awayMs?: number | undefined
      /** The tokens that the server bills in spite of the failure, if it states them. */
      readonly usage?: Usage | undefined
    }
  | { readonly type: 'broken-off' }
  /** The request did not reach the provider, or was refused unread. It does not count as sent. */
  | { readonly type: 'unsent' }
  /** Cancelled because another copy of the request was answered. The usage of that answer estimates what is billed. */
  | { readonly type: 'overtaken'; readonly usage?: Usage | undefined }

/** A request as far as its cost depends on it. */
export interface GatedRequest {
  readonly input: Input
  readonly generation: GenerationKwargs
}

/** The right to send one attempt. It must be called with the attempt's end. Further calls have no effect. */
export type Permit = (ending: Ending) => void

/**
 * Admits or holds back every attempt, so that no limit is exceeded.
 *
 * Undefined means not now: ask again when an admitted attempt has ended. When no more will be admitted, the owner of
 * the gate ends the loop through its drain signal.
 */
export interface Gate {
  /** @param need `spare` marks an optional attempt, which is refused without stopping the work. @default 'must' */
  admit(request: GatedRequest, need?: 'must' | 'spare'): Permit | undefined
  /** Reports an attempt that failed while none of its requests was in flight. */
  failed?(ending: Extract<Ending, { readonly type: 'failed' }>): void
  /** True if an optional attempt would use the budget of required ones. */
  readonly isScarce?: boolean
}
