import type { ProviderBatch } from '../../../cache/batches.js'
import { estimateInput } from '../budget/estimate.js'
import { type BatchWork, openRequests } from './batch-work.js'

/** Guesses of tokens are off by some. */
const margin = 0.8

/** What was learnt of how much an account may have in the queue of its provider. */
export class QueueLimit {
  #refusals = 0

  /** Whether a batch is handed in only when none is with the provider. */
  get isOneAtATime(): boolean {
    return this.#refusals > 0
  }

  /** Refusals so far. */
  get refusals(): number {
    return this.#refusals
  }

  /** The provider takes no further batch now. */
  isFull(): void {
    this.#refusals += 1
  }

  /**
   * A batch was refused because the queue would hold too much.
   *
   * @param isAlone whether no other batch of this run is in the queue
   * @returns the most requests that the next batch may have; undefined where none can be smaller
   */
  async learn(
    work: BatchWork,
    batch: ProviderBatch,
    { reason = '', isAlone }: { readonly reason?: string | undefined; readonly isAlone: boolean },
  ): Promise<number | undefined> {
    this.isFull()
    const limit = limitIn(reason)
    const share = limit === undefined ? 1 : (margin * limit) / (await tokensOf(work, batch))
    if (share >= 1 && !isAlone) return batch.open
    if (batch.open === 1) return undefined
    return Math.max(1, Math.floor(batch.open * (share < 1 ? share : 0.5)))
  }
}

/** `Enqueued token limit reached for m in organization o. Limit: 90,000 enqueued tokens.` */
function limitIn(reason: string): number | undefined {
  const [, digits] = /limit:?\s*([\d,]+)\s*enqueued/i.exec(reason) ?? []
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''))
}

async function tokensOf(work: BatchWork, batch: ProviderBatch): Promise<number> {
  let tokens = 0
  for await (const page of openRequests(work, batch))
    for (const { input } of page) tokens += estimateInput(input).likely
  return Math.max(1, tokens)
}
