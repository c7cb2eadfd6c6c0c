import { wildcard } from '../../../base/text/wildcard.js'
import { computeCost, type Price, type TokenPrices } from '../../../cache/facts/compute-cost.js'
import type { ModelIdentity } from '../../../cache/records.js'

export { computeCost, type Price, type TokenPrices }

/** Prices by backend (or `*`) and model, which may be a pattern with `*` and `?`. */
export type PriceTable = Readonly<Record<string, Readonly<Record<string, Price>>>>

/** The part of a model's identity that determines its price. */
export interface PricedModel {
  readonly backend: string
  readonly model: string
}

/** Returns the provider's name of a model, if its arguments state it. */
export function pricedModel({ backend, args }: Pick<ModelIdentity, 'backend' | 'args'>): PricedModel {
  const modelName = [args['model'], args['deployment'], args['model_version']].find(name => typeof name === 'string')
  return { backend, model: typeof modelName === 'string' ? modelName : backend }
}

/**
 * Finds the price of a model. An exact name is preferred to a pattern, a longer pattern to a shorter. @returns
 * undefined if absent
 */
export function findPrice(table: PriceTable, wantedModel: PricedModel): Price | undefined {
  for (const { backend, model } of spellings(wantedModel)) {
    for (const name of [model, removeDate(model)]) {
      const price = priceIn(table[backend], name) ?? priceIn(table['*'], name)
      if (price !== undefined) return price
    }
  }
  return undefined
}

function priceIn(models: PriceTable[string] | undefined, model: string): Price | undefined {
  if (models === undefined) return undefined
  const exact = models[model]
  if (exact !== undefined) return exact
  const fitting = Object.keys(models).filter(pattern => wildcard(pattern).test(model))
  const longest = fitting.sort((a, b) => b.length - a.length)[0]
  return longest === undefined ? undefined : models[longest]
}

/** Lists the backends and names under which a model may be listed. Gateways put the maker before the name. */
function spellings({ backend, model }: PricedModel): readonly PricedModel[] {
  const own = { backend, model: model.replace(/^models\//, '') }
  const sameModels = sameModelsAs[backend]
  if (sameModels !== undefined) return [own, { ...own, backend: sameModels }]
  const [, maker = '', name = ''] = /^([^/]+)\/(.+)$/.exec(model) ?? []
  const makerBackend = makers[maker]
  if (makerBackend === undefined || !passOn.has(backend)) return [own]
  return [own, { backend: makerBackend, model: makerBackend === 'anthropic' ? name.replaceAll('.', '-') : name }]
}

/** Backends that share the models and prices of another one. */
const sameModelsAs: Readonly<Record<string, string>> = { openai_responses: 'openai', azure_openai: 'openai' }
const passOn: ReadonlySet<string> = new Set(['openrouter', 'litellm'])
/** Backends by the maker's name in OpenRouter and LiteLLM. */
const makers: Readonly<Record<string, string>> = {
  openai: 'openai',
  azure: 'openai',
  anthropic: 'anthropic',
  google: 'gemini',
  gemini: 'gemini',
  deepseek: 'deepseek',
  mistral: 'mistral',
  mistralai: 'mistral',
  xai: 'xai',
  'x-ai': 'xai',
  groq: 'groq',
}

/** Removes the date: `gpt-4.1` from `gpt-4.1-2025-04-14`. A snapshot costs the same, unless it has its own price. */
const removeDate = (model: string): string => model.replace(/[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest)$/, '')

/** Computes the prices in a batch. */
export function batchPrice(price: Price): Price {
  const { batch = 1, above } = price
  const share = ({ input, output, cached }: TokenPrices): TokenPrices => ({
    input: input * batch,
    output: output * batch,
    ...(cached === undefined ? {} : { cached: cached * batch }),
  })
  return {
    ...price,
    ...share(price),
    ...(price.audio === undefined ? {} : { audio: price.audio * batch }),
    ...(above === undefined ? {} : { above: { tokens: above.tokens, ...share(above) } }),
    batch: 1,
  }
}

/** Merges two tables. The prices in `over` win. */
export function mergePrices(under: PriceTable, over: PriceTable): PriceTable {
  const backends = new Set([...Object.keys(under), ...Object.keys(over)])
  return Object.fromEntries([...backends].map(backend => [backend, { ...under[backend], ...over[backend] }]))
}
