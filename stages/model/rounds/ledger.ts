import type { Clock } from '../../../base/time/clock.js'
import type { ResponseKey } from '../../../cache/digest.js'
import type {
  RunSpec,
  ContentPart,
  GenerationKwargs,
  Input,
  ModelIdentity,
  ResponseBody,
  ResponseMeta,
  Run,
  Step,
} from '../../../cache/records.js'
import { requestKeys } from '../../../cache/request-keys.js'
import type { DraftDoc, RequestStore, StoredAnswer } from '../../../cache/store.js'
import type { ModelAnswer, ModelRequest } from '../model.js'

export interface LedgerOptions {
  readonly store: { readonly requests: Pick<RequestStore, 'answerOf' | 'keepAnswer'> }
  /** Returns the run that holds rounds and steps as items. It is made when the first is stored. */
  readonly run: () => Promise<Run>
  readonly identity: ModelIdentity
  readonly codes: Pick<RunSpec, 'code' | 'codes'>
  readonly clock: Clock
  /** The program and the run, stored with each answer. */
  readonly stamp: Partial<ResponseMeta>
}

/** A committed part of a conversation, and whether it was stored before. */
export interface StoredStep extends StoredAnswer {
  readonly isEarlier: boolean
}

/** The result of a step. */
export interface StepResult {
  readonly text: string
  readonly content?: readonly ContentPart[]
  /** True if the step failed. The text then says why. */
  readonly isError?: boolean
}

/** The finish reason of a failed step. */
export const errorReason = 'error'

/**
 * Commits each part of a conversation before the next begins, so that no part is repeated. A conversation that
 * continues after a kill goes through its parts again, and finds them here.
 */
export interface Ledger {
  /** Computes the key of a request's answer. */
  keyOf(request: ModelRequest): ResponseKey
  /** Returns the answer to one round. Equal rounds at the same time are sent once. */
  round(request: ModelRequest, ask: () => Promise<ModelAnswer>): Promise<StoredStep>
  /** Returns the result of an action between two rounds. */
  step(step: Step, sample: number, make: () => Promise<StepResult>): Promise<StoredStep>
}

export function openLedger(options: LedgerOptions): Ledger {
  const { store, clock } = options
  const underWay = new Map<ResponseKey, Promise<StoredAnswer>>()

  const keysOf = requestKeys({ model: options.identity, ...options.codes })
  const computeResponseKey = (request: ModelRequest): ResponseKey => keysOf(request).response

  const make = async (request: ModelRequest, ask: () => Promise<ModelAnswer>): Promise<StoredAnswer> => {
    const startedAt = clock.now()
    const { body, usage, served } = await ask()
    const meta: ResponseMeta = {
      ...(usage === undefined ? {} : { usage }),
      ...(served === undefined ? {} : { served }),
      durationMs: clock.now() - startedAt,
      attempts: 1,
      answeredAt: clock.wallNow(),
      ...options.stamp,
    }
    return store.requests.keepAnswer(await options.run(), makeDraftDoc(computeResponseKey(request), request), {
      body,
      meta,
    })
  }

  const answerOnce = async (request: ModelRequest, ask: () => Promise<ModelAnswer>): Promise<StoredStep> => {
    const key = computeResponseKey(request)
    const storedAnswer = await store.requests.answerOf(key)
    if (storedAnswer !== undefined && 'body' in storedAnswer) return { ...storedAnswer, isEarlier: true }
    const other = underWay.get(key)
    if (other !== undefined) return { ...(await other), isEarlier: true }
    const answer = make(request, ask).finally(() => underWay.delete(key))
    underWay.set(key, answer)
    return { ...(await answer), isEarlier: false }
  }

  return {
    keyOf: computeResponseKey,
    round: answerOnce,
    step: (step, sample, makeStep) => {
      const input: Input = { type: 'step', messages: [], step }
      return answerOnce({ input, generation: noGeneration, sample }, async () => {
        const { text, content, isError } = await makeStep()
        const body: ResponseBody = {
          text,
          finishReason: 'stop',
          ...(content === undefined ? {} : { content }),
          ...(isError === true ? { rawFinishReason: errorReason } : {}),
        }
        return { body }
      })
    },
  }
}

const noGeneration: GenerationKwargs = {}

/** Makes the item of a part. Its position is computed from its key, so the same part is the same item in every process. */
function makeDraftDoc(key: ResponseKey, { input, generation, sample }: ModelRequest): DraftDoc {
  const hex = key.replace('sha256:', '')
  return {
    index: Number.parseInt(hex.slice(0, 12), 16),
    id: hex.slice(0, 16),
    record: { target: null, doc: {} },
    requests: [{ choice: Number.parseInt(hex.slice(12, 18), 16), sample, input, generation }],
  }
}
