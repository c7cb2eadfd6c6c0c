import type { Clock } from '../../../base/time/clock.js'
import type { BatchStore, ProviderBatch } from '../../../cache/batches.js'
import type { ResponseKey } from '../../../cache/digest.js'
import type { Lease } from '../../../cache/store.js'
import type { Ending, Permit } from '../budget/gate.js'
import type { InferOptions } from '../infer-options.js'
import { AttemptError } from '../model.js'
import { nextTry, type RetryPolicy } from '../schedule/loop/retry.js'
import type { BatchClient, BatchDraft } from './batch-client.js'

/** What the steps of a batch share. */
export interface BatchWork {
  readonly options: InferOptions
  readonly batches: BatchStore
  readonly lane: BatchClient
  /** Whether what the provider does not have is handed in; else it is left to be asked one by one. */
  readonly submits: boolean
  /** Breaks off what is under way. */
  readonly signal: AbortSignal
  /** Resolves after so many milliseconds, or as soon as the work must end. */
  readonly pause: (ms: number) => Promise<void>
  readonly mustEnd: () => boolean
  /** Permits of the requests that a gate has let through, and that have not ended. */
  readonly tickets: Map<ResponseKey, Permit>
}

const pageSize = 256

/** The open requests of a batch, page by page. */
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

/** Tells the gate what became of a request. */
export function settle({ tickets }: BatchWork, key: ResponseKey, ending: Ending): void {
  tickets.get(key)?.(ending)
  tickets.delete(key)
}

/** Tells the user something. */
export const note = ({ options }: BatchWork, text: string): void => options.emit({ type: 'note', text })

/** A batch as the lane is given it. */
export const draftOf = (work: BatchWork, batch: ProviderBatch): BatchDraft => ({
  name: batch.name,
  requests: batch.requests,
  async *entries() {
    for await (const page of openRequests(work, batch)) {
      for (const { key, input, generation, sample } of page)
        yield { id: customId(batch.name, key), request: { input, generation, sample } }
    }
  },
})

/** Tries until it works, the policy gives up, or the work must end. @throws whatever the last try threw. */
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

/** Milliseconds until the next try; undefined where there is none. */
export function waitAfter(
  { retry, random }: { readonly retry: RetryPolicy; readonly random: () => number; readonly clock: Clock },
  failure: AttemptError,
  attempt: number,
): number | undefined {
  const next = nextTry(retry, failure, { attempt, random: random() })
  return next === 'give up' ? undefined : next.waitMs
}

/** Digits of a key that tell it apart from all others, and fit beside the batch's name into the 64 characters that providers take. */
const keyDigits = 48

/** The name of a request in a batch: it tells both whose batch it is and whose answer. */
export const customId = (batch: string, key: ResponseKey): string => `${batch}-${key.slice(7, 7 + keyDigits)}`

/** How the key begins whose answer this is; undefined where it is of another batch. */
export function keyIn(id: string, batch: string): string | undefined {
  const [, name, digits] = /^([0-9a-f]{12})-([0-9a-f]{48})$/.exec(id) ?? []
  return name === batch ? digits : undefined
}

/** A name that no other batch has. @param random in [0, 1) */
export function batchName(random: () => number): string {
  const half = (): string =>
    Math.floor(random() * 0x1000000)
      .toString(16)
      .padStart(6, '0')
  return half() + half()
}
