import type { Clock } from '../../../base/time/clock.js'
import type { BatchStore, ProviderBatch } from '../../../cache/batches.js'
import type { ResponseKey } from '../../../cache/digest.js'
import type { Lease } from '../../../cache/store.js'
import type { Ending, Permit } from '../budget/gate.js'
import type { InferOptions } from '../infer-options.js'
import { makeModelRequest } from '../model-request.js'
import { AttemptError } from '../model.js'
import { nextTry, type RetryPolicy } from '../schedule/loop/retry.js'
import type { BatchClient, BatchDraft } from './batch-client.js'

/** The state that all steps of a batch share. */
export interface BatchWork {
  readonly options: InferOptions
  readonly batches: BatchStore
  readonly client: BatchClient
  /** True if unsent requests are submitted. Otherwise they are left to be sent singly. */
  readonly submits: boolean
  /** Aborts calls in flight. */
  readonly signal: AbortSignal
  /** Resolves after this many milliseconds, or as soon as the work must end. */
  readonly pause: (ms: number) => Promise<void>
  readonly mustEnd: () => boolean
  /** The permits of requests that the gate has admitted and that have not ended. */
  readonly tickets: Map<ResponseKey, Permit>
  /** The open request of each key of what is sent. */
  readonly firsts: Map<ResponseKey, ResponseKey>
  /** The keys of what open requests send. */
  readonly sents: Map<ResponseKey, ResponseKey>
}

const pageSize = 256

/** Reads the open requests of a batch page by page. */
export async function* openRequests(
  { batches, options }: BatchWork,
  batch: ProviderBatch,
): AsyncGenerator<readonly Lease[]> {
  for (let after = 0; ;) {
    const page = await batches.requests(batch, options.run, { after, limit: pageSize })
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last.request
  }
}

/** Tells the gate how a request ended. */
export function settle({ tickets, firsts, sents }: BatchWork, key: ResponseKey, ending: Ending): void {
  tickets.get(key)?.(ending)
  tickets.delete(key)
  const sent = sents.get(key)
  if (sent !== undefined) firsts.delete(sent)
  sents.delete(key)
}

/** Reports a text to the user. */
export const note = ({ options }: BatchWork, text: string): void => options.emit({ type: 'note', text })

/** Describes a batch for the provider's client. */
export const makeBatchDraft = (work: BatchWork, batch: ProviderBatch): BatchDraft => ({
  name: batch.name,
  requests: batch.requests,
  async *entries() {
    for await (const page of openRequests(work, batch)) {
      for (const lease of page) yield { id: customId(batch.name, lease.key), request: makeModelRequest(lease) }
    }
  },
})

/** Repeats a step until it succeeds, the policy gives up, or the work must end. @throws the error of the last attempt */
export async function patiently<T>(work: BatchWork, tryOnce: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryOnce()
    } catch (error) {
      const waitMs = error instanceof AttemptError ? waitAfter(work.options, error, attempt) : undefined
      if (waitMs === undefined || work.mustEnd()) throw error
      await work.pause(waitMs)
      if (work.mustEnd()) throw error
    }
  }
}

/** Computes the milliseconds until the next attempt. @returns undefined if there is none */
export function waitAfter(
  { retry, random }: { readonly retry: RetryPolicy; readonly random: () => number; readonly clock: Clock },
  failure: AttemptError,
  attempt: number,
): number | undefined {
  const next = nextTry(retry, failure, { attempt, random: random() })
  return next === 'give up' ? undefined : next.waitMs
}

/** The number of key digits in an id: enough to be unique, and short enough for the provider's limit of 64 characters. */
const keyDigits = 48

/** Makes the id of a request in a batch, from the batch's name and the request's key. */
export const customId = (batch: string, key: ResponseKey): string => `${batch}-${key.slice(7, 7 + keyDigits)}`

/** Returns the beginning of the key in an id. Undefined if the id belongs to another batch. */
export function keyIn(id: string, batch: string): string | undefined {
  const [, name, digits] = /^([0-9a-f]{12})-([0-9a-f]{48})$/.exec(id) ?? []
  return name === batch ? digits : undefined
}

/** Makes a unique batch name. @param random returns a number in [0, 1) */
export function batchName(random: () => number): string {
  const half = (): string =>
    Math.floor(random() * 0x1000000)
      .toString(16)
      .padStart(6, '0')
  return half() + half()
}
