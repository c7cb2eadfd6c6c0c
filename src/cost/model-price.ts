import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { sha256 } from '../../cache/digest.js'
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import type { Run } from '../../cache/records.js'
import { pricedModel, findPrice, type Price } from '../../stages/model/budget/price.js'
import { priceText, readPrices, shippedPrices } from './prices.js'

/** The price of a run's model. Reading the tables takes 0.1 s, so they are read on demand. */
export interface ModelPrice {
  /** Identifies the tables' contents. */
  readonly tables: string
  /** Undefined if no table has the model. @throws PipelineError with every mistake of a table */
  readonly read: () => Promise<Price | undefined>
}

/** Finds the price of a run's model: in `priceFile`, else in the file that the run used if it still exists, then in the built-in table. */
export async function modelPrice(run: Pick<Run, 'asked' | 'provenance'>, priceFile?: string): Promise<ModelPrice> {
  const { model } = run.asked
  const file = priceFile ?? findPricesFile(run)
  const texts = [
    await readFile(shippedPrices, 'utf8'),
    file !== undefined && existsSync(file) ? await priceText(file) : '',
  ]
  return {
    tables: sha256(texts.join('\u0000')),
    read: async () => findPrice(await readPrices(file, [model.backend]), pricedModel(model)),
  }
}

/**
 * Returns a function that reads the price of a model for scores that depend on it.
 *
 * @param read finds the price
 */
export const makePriceReader =
  (model: Run['asked']['model'], read: () => Promise<Price | undefined>): (() => Promise<Price>) =>
  async () => {
    const price = await read()
    if (price !== undefined) return price
    const { backend, model: name } = pricedModel(model)
    throw new PipelineError(
      'config',
      `a task scores the cost of answers, but the price of ${name} (${backend}) is not known. Name a table of prices: ${option('prices', 'FILE')}`,
    )
  }

function findPricesFile({ provenance }: Pick<Run, 'provenance'>): string | undefined {
  const { prices, cwd } = provenance.config
  if (prices === undefined) return undefined
  // Runs of older versions have a relative path.
  const file = resolve(cwd ?? '', prices)
  return existsSync(file) ? file : undefined
}
