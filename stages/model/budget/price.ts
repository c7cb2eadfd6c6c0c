import { wildcard } from '../../../base/text/wildcard.js'
import type { ModelIdentity, Usage } from '../../../cache/records.js'

/** What tokens cost. Dollars per million. */
export interface TokenPrices {
  readonly input: number
  /** All that is generated, reasoning included. */
  readonly output: number
  /** Input tokens that the provider had in its cache; priced as `input` if absent. */
  readonly cached?: number | undefined
}

/** What one model costs. */
export interface Price extends TokenPrices {
  /** Sound in the input; as `input` where it is absent. */
  readonly audio?: number | undefined
  /** What a request with more input than so many tokens costs, all of it. */
  readonly above?: (TokenPrices & { readonly tokens: number }) | undefined
  /** The share of it that a batch API asks; 1 where it is absent. */
  readonly batch?: number | undefined
  /** When the price was looked up, and where. */
  readonly date?: string | undefined
  readonly source?: string | undefined
}

/** Prices by backend (or `*`) and model, which may be a pattern with `*` and `?`. */
export type PriceTable = Readonly<Record<string, Readonly<Record<string, Price>>>>

/** Who is asked, as far as the price depends on it. */
export interface PricedModel {
  readonly backend: string
  readonly model: string
}

/** The name that a model goes by at its provider, where its arguments tell it. */
export function pricedModel({ backend, args }: Pick<ModelIdentity, 'backend' | 'args'>): PricedModel {
  const named = [args['model'], args['deployment'], args['model_version']].find(name => typeof name === 'string')
  return { backend, model: typeof named === 'string' ? named : backend }
}

/**
 * What a request costs, in dollars; undefined where its tokens were not counted.
 *
 * Output tokens include those of reasoning, and input tokens the cached ones, as {@link Usage} has them: neither is paid twice.
 */
export function costOf(
  usage: Usage,
  price: Price,
  { isBatch = false }: { readonly isBatch?: boolean } = {},
): number | undefined {
  const { inputTokens, outputTokens, cachedTokens = 0, audioTokens = 0 } = usage
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const rate = price.above !== undefined && inputTokens > price.above.tokens ? price.above : price
  const cached = Math.min(cachedTokens, inputTokens)
  const audio = Math.min(audioTokens, inputTokens - cached)
  const fresh = inputTokens - cached - audio
  const dollars =
    fresh * rate.input +
    cached * (rate.cached ?? rate.input) +
    audio * (price.audio ?? rate.input) +
    outputTokens * rate.output
  return (dollars * (isBatch ? (price.batch ?? 1) : 1)) / 1_000_000
}

/** The price of a model; undefined where the table has none. An exact name goes before a pattern, a longer one before a shorter. */
export function priceOf(table: PriceTable, asked: PricedModel): Price | undefined {
  for (const { backend, model } of spellings(asked)) {
    for (const name of [model, undated(model)]) {
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

/** Under which backends and names a model may stand: those that pass others' models on name them after their maker. */
function spellings({ backend, model }: PricedModel): readonly PricedModel[] {
  const own = { backend, model: model.replace(/^models\//, '') }
  const sameModels = sameModelsAs[backend]
  if (sameModels !== undefined) return [own, { ...own, backend: sameModels }]
  const [, maker = '', name = ''] = /^([^/]+)\/(.+)$/.exec(model) ?? []
  const made = makers[maker]
  if (made === undefined || !passOn.has(backend)) return [own]
  return [own, { backend: made, model: made === 'anthropic' ? name.replaceAll('.', '-') : name }]
}

/** Backends with the models, and the prices, of another. */
const sameModelsAs: Readonly<Record<string, string>> = { openai_responses: 'openai', azure_openai: 'openai' }
const passOn: ReadonlySet<string> = new Set(['openrouter', 'litellm'])
/** Backends by what OpenRouter and LiteLLM call the maker. */
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

/** `gpt-4.1` of `gpt-4.1-2025-04-14`: a snapshot costs what its model does, unless it has a price of its own. */
const undated = (model: string): string => model.replace(/[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest)$/, '')

/** What the same costs in a batch. */
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

/** One table over another. */
export function mergePrices(under: PriceTable, over: PriceTable): PriceTable {
  const backends = new Set([...Object.keys(under), ...Object.keys(over)])
  return Object.fromEntries([...backends].map(backend => [backend, { ...under[backend], ...over[backend] }]))
}
