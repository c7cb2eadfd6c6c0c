import type { ResponseMeta } from '../records.js'
import { computeCost, type Price } from './compute-cost.js'

/**
 * Sums what the answers of a sample cost, in dollars.
 *
 * @returns undefined without answers or a price, or if the tokens of an answer were not counted
 */
export function sumCosts(
  metas: readonly Pick<ResponseMeta, 'usage' | 'batch'>[],
  price: Price | undefined,
): number | undefined {
  if (price === undefined || metas.length === 0) return undefined
  const costs = metas.map(({ usage = {}, batch = false }) => computeCost(usage, price, { isBatch: batch }))
  return costs.reduce((sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost), 0)
}
