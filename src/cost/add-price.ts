import { PipelineError } from '../../base/errors/errors.js'
import type { OpenedRun } from '../../cache/store.js'
import type { Price } from '../../stages/model/budget/price.js'
import { modelPrice } from './model-price.js'

/**
 * Returns a function that adds a model's price to its run, for the costs of samples. It caches prices, because reading the tables takes 0.1 s. A
 * table with mistakes counts as empty here. The run's throughput reports the mistakes.
 */
export function makePriceAdder(): (opened: OpenedRun) => Promise<OpenedRun> {
  const pricesByRun = new Map<string, Promise<Price | undefined>>()
  return async opened => {
    try {
      const { tables, read } = await modelPrice(opened.run)
      const name = `${tables} ${opened.run.id}`
      const reading = pricesByRun.get(name) ?? read()
      pricesByRun.set(name, reading)
      const price = await reading
      return { ...opened, ...(price && { price }) }
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error
      return opened
    }
  }
}
