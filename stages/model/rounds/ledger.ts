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
  /** The run that rounds and steps are items of; asked for when the first is kept. */
  readonly run: () => Promise<Run>
  readonly identity: ModelIdentity
  readonly codes: Pick<RunSpec, 'code' | 'codes'>
  readonly clock: Clock
  /** The program and the run, kept with each answer. */
  readonly stamp: Partial<ResponseMeta>
}

/** A part of a conversation that is durable, and whether it was before it was wanted now. */
export interface Kept extends StoredAnswer {
  readonly isEarlier: boolean
}

/** What came of a step. */
export interface StepResult {
  readonly text: string
  readonly content?: readonly ContentPart[]
  /** Whether it came to nothing, and the text says why. */
  readonly isError?: boolean
}

/** How an answer says that a step came to nothing. */
export const errorReason = 'error'

/**
 * What is done for conversations, each part made durable before the next begins. What is in it is not done again: a
 * conversation that is taken up after a kill goes through its parts once more and finds them here.
 */
export interface Ledger {
  /** The key under which the answer to a request is kept. */
  keyOf(request: ModelRequest): ResponseKey
  /** The answer to one round. Equal rounds that are wanted at once are asked once. */
  round(request: ModelRequest, ask: () => Promise<ModelAnswer>): Promise<Kept>
  /** What was done between two rounds. */
  step(step: Step, sample: number, make: () => Promise<StepResult>): Promise<Kept>
}

export function openLedger(options: LedgerOptions): Ledger {
  const { store, clock } = options
  const underWay = new Map<ResponseKey, Promise<StoredAnswer>>()

  const keysOf = requestKeys({ model: options.identity, ...options.codes })
  const keyOf = (request: ModelRequest): ResponseKey => keysOf(request).response

  const make = async (request: ModelRequest, ask: () => Promise<ModelAnswer>): Promise<StoredAnswer> => {
    const startedAt = clock.now()
    const { body, usage } = await ask()
    const meta: ResponseMeta = {
      ...(usage === undefined ? {} : { usage }),
      durationMs: clock.now() - startedAt,
      attempts: 1,
      answeredAt: clock.wallNow(),
      ...options.stamp,
    }
    return store.requests.keepAnswer(await options.run(), draftOf(keyOf(request), request), { body, meta })
  }

  const kept = async (request: ModelRequest, ask: () => Promise<ModelAnswer>): Promise<Kept> => {
    const key = keyOf(request)
    const found = await store.requests.answerOf(key)
    if (found !== undefined && 'body' in found) return { ...found, isEarlier: true }
    const other = underWay.get(key)
    if (other !== undefined) return { ...(await other), isEarlier: true }
    const answer = make(request, ask).finally(() => underWay.delete(key))
    underWay.set(key, answer)
    return { ...(await answer), isEarlier: false }
  }

  return {
    keyOf,
    round: kept,
    step: (step, sample, makeStep) => {
      const input: Input = { type: 'step', messages: [], step }
      return kept({ input, generation: noGeneration, sample }, async () => {
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

/** Its place comes from its key, so that the same part is the same item whoever makes it. */
function draftOf(key: ResponseKey, { input, generation, sample }: ModelRequest): DraftDoc {
  const hex = key.replace('sha256:', '')
  return {
    index: Number.parseInt(hex.slice(0, 12), 16),
    id: hex.slice(0, 16),
    record: { target: null, doc: {} },
    requests: [{ choice: Number.parseInt(hex.slice(12, 18), 16), sample, input, generation }],
  }
}
