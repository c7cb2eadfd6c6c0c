import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { sha256 } from '../../cache/digest.js'
import type { Run } from '../../cache/records.js'
import { pricedModel, priceOf, type Price } from '../../stages/model/budget/price.js'
import { priceText, readPrices, shippedPrices } from './prices.js'

/** What the tokens of a run's model cost. To read the tables takes a tenth of a second, which is spent only where somebody asks. */
export interface ModelPrice {
  /** Another text when a table is another. */
  readonly tables: string
  /** Undefined where no table says. @throws PipelineError that names every mistake of a table. */
  readonly read: () => Promise<Price | undefined>
}

/** By this file over the prices that come with the program, else by the one that the run was asked with if it is still there. */
export async function modelPrice(run: Pick<Run, 'asked' | 'provenance'>, given?: string): Promise<ModelPrice> {
  const { model } = run.asked
  const file = given ?? fileOf(run)
  const texts = [
    await readFile(shippedPrices, 'utf8'),
    file !== undefined && existsSync(file) ? await priceText(file) : '',
  ]
  return {
    tables: sha256(texts.join('\u0000')),
    read: async () => priceOf(await readPrices(file, [model.backend]), pricedModel(model)),
  }
}

function fileOf({ provenance }: Pick<Run, 'provenance'>): string | undefined {
  const { prices, cwd } = provenance.config
  if (typeof prices !== 'string') return undefined
  const file = resolve(typeof cwd === 'string' ? cwd : '', prices)
  return existsSync(file) ? file : undefined
}
