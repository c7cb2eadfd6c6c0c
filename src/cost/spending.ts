import { PipelineError } from '../../base/errors/errors.js'
import { option, storedText } from '../../base/errors/option-words.js'
import type { FailureClass } from '../../cache/records.js'
import { Budget, type Limits, type Stop } from '../../stages/model/budget/budget.js'
import type { Gate } from '../../stages/model/budget/gate.js'
import { batchPrice, findPrice, pricedModel, type Price, type PricedModel } from '../../stages/model/budget/price.js'
import { realClock } from '../clock.js'
import type { ModelPlan } from '../model/model-plan.js'
import { readPrices } from './prices.js'
import { duration } from '../../base/text/numbers.js'
import type { LimitSettings } from '../config/limits.js'

export interface GateOptions {
  /** True if requests are submitted to the provider's batch API, at its price. */
  readonly isBatch?: boolean
  /** Called if the first requests are rejected for access, such as a wrong key. @default all work stops */
  readonly onRefused?: (message: string, failureClass: FailureClass) => void
}

/**
 * The budget of one command for the model and the judge model. Stored answers are free. Spending of earlier commands on the same run does not count.
 */
export class Spending {
  readonly #settings: LimitSettings
  readonly #budget: Budget
  readonly #model = new AbortController()
  readonly #docs = new AbortController()

  constructor(settings: LimitSettings) {
    this.#settings = settings
    const limits = makeLimits(settings)
    this.#budget = new Budget({
      limits,
      say: limit => option(names[limit], limit === 'milliseconds' ? duration(limits[limit] ?? 0) : limits[limit]),
      clock: realClock,
      onStop: stop => {
        this.#model.abort()
        if (stop.why !== 'budget' || stop.limit === 'milliseconds') this.#docs.abort()
      },
    })
  }

  /** Aborted when no further request may be sent. */
  get requestsOver(): AbortSignal {
    return this.#model.signal
  }

  /** Aborted when no further doc may be read: time is up, or something must be fixed first. */
  get docsOver(): AbortSignal {
    return this.#docs.signal
  }

  /** The reason why no further request is sent. Undefined while requests may be sent. */
  get stopped(): Stop | undefined {
    return this.#budget.stopped
  }

  /** The problem to fix before the next start: why the work stopped, or why every request of a short run was rejected. */
  get hindrance(): Stop | undefined {
    return this.#budget.stopped ?? this.#budget.refusal
  }

  /**
   * Opens the gate that admits one model's requests.
   *
   * @throws PipelineError if a price file is wrong, or if money is limited and the model's price is unknown
   */
  async gateOf(model: Pick<ModelPlan, 'identity'>, { isBatch = false, onRefused }: GateOptions = {}): Promise<Gate> {
    const price = await this.#priceOf(model)
    return this.#budget.gate({ price: price && isBatch ? batchPrice(price) : price, onRefused })
  }

  /** Ends the time limit. */
  close(): void {
    this.#budget.close()
  }

  /** Returns the price of requests, or undefined if money is not limited. */
  async #priceOf({ identity }: Pick<ModelPlan, 'identity'>): Promise<Price | undefined> {
    const { maxCost, prices } = this.#settings
    if (maxCost === undefined && prices === undefined) return undefined
    // A wrong file is rejected before the first request, even if only the report needs it.
    const table = await readPrices(prices, [identity.backend])
    if (maxCost === undefined) return undefined
    const model = pricedModel(identity)
    const price = findPrice(table, model)
    if (price === undefined) throw new PipelineError('usage', formatUnpriced(model))
    return price
  }
}

/** Words the error for a model without a price. */
const formatUnpriced = ({ backend, model }: PricedModel): string =>
  `${option('maxCost')}: nobody has said what the model ${model} of ${backend} costs. Give ${option('prices', 'FILE.yaml')} with a line such as   ${backend}: {"${model}": {input: 0.5, output: 1.5}}   (dollars per million tokens)`

const names: Readonly<Record<keyof Limits, keyof LimitSettings>> = {
  requests: 'maxRequests',
  tokens: 'maxTokensTotal',
  dollars: 'maxCost',
  milliseconds: 'maxTime',
  failures: 'failFast',
}

/** Returns a stop without references to options in its message, for programs and for the store. */
export const storedStop = (stop: Stop): Stop => ({ ...stop, message: storedText(stop.message) })

const makeLimits = ({ maxRequests, maxTokensTotal, maxCost, maxTime, failFast }: LimitSettings): Limits => ({
  ...(maxRequests === undefined ? {} : { requests: maxRequests }),
  ...(maxTokensTotal === undefined ? {} : { tokens: maxTokensTotal }),
  ...(maxCost === undefined ? {} : { dollars: maxCost }),
  ...(maxTime === undefined ? {} : { milliseconds: maxTime }),
  ...(failFast === undefined ? {} : { failures: failFast }),
})
