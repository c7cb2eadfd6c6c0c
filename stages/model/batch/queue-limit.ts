import type { ProviderBatch } from '../../../cache/batches.js'
import { estimateInput } from '../budget/estimate.js'
import { type BatchWork, openRequests } from './batch-work.js'

/** Submit less than the limit, because token counts are estimated. */
const margin = 0.8

/** Learns how many tokens an account may have in the provider's queue. */
export class QueueLimit {
  #refusals = 0

  /** True if a batch is submitted only when no other is at the provider. */
  get isOneAtATime(): boolean {
    return this.#refusals > 0
  }

  /** The number of refusals so far. */
  get refusals(): number {
    return this.#refusals
  }

  /** Notes that the provider accepts no further batch now. */
  isFull(): void {
    this.#refusals += 1
  }

  /**
   * Learns from a batch that was refused because the queue would be too full.
   *
   * @param isAlone true if no other batch of this run is in the queue
   * @returns the maximum number of requests in the next batch, or undefined if it cannot be smaller
   */
  async learn(
    work: BatchWork,
    batch: ProviderBatch,
    { reason = '', isAlone }: { readonly reason?: string | undefined; readonly isAlone: boolean },
  ): Promise<number | undefined> {
    this.isFull()
    const limit = limitIn(reason)
    const share = limit === undefined ? 1 : (margin * limit) / (await estimateBatchTokens(work, batch))
    if (share >= 1 && !isAlone) return batch.open
    if (batch.open === 1) return undefined
    return Math.max(1, Math.floor(batch.open * (share < 1 ? share : 0.5)))
  }
}

/** Reads the limit from `Enqueued token limit reached for m in organization o. Limit: 90,000 enqueued tokens.` */
function limitIn(reason: string): number | undefined {
  const [, digits] = /limit:?\s*([\d,]+)\s*enqueued/i.exec(reason) ?? []
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''))
}

async function estimateBatchTokens(work: BatchWork, batch: ProviderBatch): Promise<number> {
  let tokens = 0
  for await (const page of openRequests(work, batch))
    for (const { input } of page) tokens += estimateInput(input).likely
  return Math.max(1, tokens)
}
