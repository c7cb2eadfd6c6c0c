import type { Clock } from '../../../base/time/clock.js'
import type { AccessFailure } from '../model.js'
import type { FailureClass, Usage } from '../../../cache/records.js'
import type { Ending, Gate, GatedRequest, Permit } from './gate.js'
import {
  computeAmount,
  estimatedNeed,
  noNeed,
  noteAnswer,
  noUsage,
  type Amount,
  type ModelUsage,
  type Need,
} from './model-usage.js'
import type { Price } from './price.js'

/** The limits of one command. An absent limit does not apply. */
export interface Limits {
  /** The maximum number of sent attempts, whatever their result. */
  readonly requests?: number
  /** The maximum number of input and output tokens together. */
  readonly tokens?: number
  readonly dollars?: number
  /** The maximum duration, from when the budget is made. */
  readonly milliseconds?: number
  /** The number of permanently failed requests at which the work stops. */
  readonly failures?: number
}

/** The reason why nothing more is sent. With `budget`, the run's remaining requests fail. Otherwise they stay pending. */
export interface Stop {
  /** `away`: the server asks for a longer wait than the maximum. */
  readonly why: 'budget' | 'failures' | 'access' | 'away'
  /** The limit that was reached, if the reason is a limit. */
  readonly limit?: keyof Limits
  /** The access problem, if the reason is `access`. */
  readonly access?: AccessFailure
  /** The number of requests that were refused in a row, if the reason is `access`. */
  readonly refused?: number
  readonly message: string
}

/** The total spent so far on all models. */
export interface Spent {
  readonly requests: number
  readonly tokens: number
  readonly dollars: number
}

export interface BudgetOptions {
  readonly limits: Limits
  /** Returns the name of a limit for messages: `--max-requests 10`. */
  readonly say: (limit: keyof Limits) => string
  readonly clock: Clock
  /** Called once, when no more requests are admitted for any model. */
  readonly onStop: (stop: Stop) => void
}

/** After this many access failures before the first answer, the single requests are not the reason. */
const refusalsToBelieve = 3

/**
 * The time that a server may be unreachable before the work stops, in milliseconds. A restart takes minutes. A server
 * that never answered is probably not there.
 */
const unreachable = { atFirst: 3_000, later: 300_000 }

export interface GateOptions {
  /** Without a price, the cost of requests is unknown and not limited. */
  readonly price?: Price | undefined
  /** Called instead of `onStop` if the first requests are refused for access. Other models continue. */
  readonly onRefused?: ((message: string, failureClass: FailureClass) => void) | undefined
}

/** A model with a gate, and the facts about its usage. */
interface GatedModel extends GateOptions, ModelUsage {
  /** Access failures since the last answer. */
  refused: number
  /** Since when the server is unreachable, in milliseconds of the clock. Undefined while it is reachable. */
  unreachableSince: number | undefined
}

/**
 * Tracks what a command has spent and reserved, and stops it at its limits.
 *
 * A request is admitted if its likely cost fits beside all requests in flight. The estimate is the output of the
 * longest answer so far, and the input that its text and media make likely. A limit is therefore exceeded only if an
 * answer is longer than any before. Before the first answer, the maximum is reserved. If that does not fit, one request
 * is sent alone to learn from.
 */
export class Budget {
  readonly #options: BudgetOptions
  readonly #cancelTimer: (() => void) | undefined
  #spent: Spent = { requests: 0, tokens: 0, dollars: 0 }
  #reserved: Amount = { tokens: 0, dollars: 0 }
  #underWay = 0
  #failures = 0
  #stop: Stop | undefined
  #refusal: Stop | undefined

  constructor(options: BudgetOptions) {
    this.#options = options
    const { milliseconds } = options.limits
    if (milliseconds !== undefined)
      this.#cancelTimer = options.clock.after(milliseconds, () => this.#overBudget('milliseconds', 'time is up'))
  }

  get spent(): Spent {
    return this.#spent
  }

  /** The reason why nothing more is admitted. Undefined while requests are admitted. */
  get stopped(): Stop | undefined {
    return this.#stop
  }

  /** Set while every request so far was rejected for access, even if they are too few to stop the work. */
  get refusal(): Stop | undefined {
    return this.#refusal
  }

  /** Ends the time limit. */
  close(): void {
    this.#cancelTimer?.()
  }

  /** Makes the gate of one model. All gates share this budget. */
  gate(options: GateOptions = {}): Gate {
    const model: GatedModel = { ...options, ...noUsage, refused: 0, unreachableSince: undefined }
    const { requests, tokens, dollars } = this.#options.limits
    return {
      isScarce: [requests, tokens, dollars].some(limit => limit !== undefined),
      admit: (request, need) => (need === 'spare' ? this.#admitSpare(model, request) : this.#admit(model, request)),
      failed: ending => this.#failed(model, ending),
    }
  }

  #admit(model: GatedModel, request: GatedRequest): Permit | undefined {
    if (this.#stop !== undefined) return undefined
    const { requests = Infinity } = this.#options.limits
    if (this.#spent.requests >= requests) {
      return this.#overBudget('requests', `${this.#spent.requests} were sent`)
    }
    const needed = this.#need(model, request)
    const over = this.#over(computeAmount(model, needed))
    if (over !== undefined) {
      if (this.#underWay > 0) return undefined
      const least = computeAmount(model, { inputTokens: needed.guessed.low, outputTokens: 1 })
      if (model.answered > 0 || this.#over(least) !== undefined) return this.#overBudget(over, this.#used(over))
    }
    return this.#let(model, needed)
  }

  #admitSpare(model: GatedModel, request: GatedRequest): Permit | undefined {
    const { requests = Infinity } = this.#options.limits
    const needed = this.#need(model, request)
    const isLeft = this.#spent.requests < requests && this.#over(computeAmount(model, needed)) === undefined
    return this.#stop === undefined && isLeft ? this.#let(model, needed) : undefined
  }

  /** Estimates the cost of a request. It is zero if no limit needs it. */
  #need(model: ModelUsage, request: GatedRequest): Need {
    const { tokens, dollars } = this.#options.limits
    return tokens === undefined && dollars === undefined ? noNeed : estimatedNeed(model, request)
  }

  /** Returns the limit that would be exceeded by this additional amount. */
  #over({ tokens, dollars }: Amount): 'tokens' | 'dollars' | undefined {
    const { limits } = this.#options
    if (this.#spent.tokens + this.#reserved.tokens + tokens > (limits.tokens ?? Infinity)) return 'tokens'
    // The tolerance covers rounding errors in sums of fractions of a cent.
    const most = (limits.dollars ?? Infinity) * (1 + 1e-9)
    return this.#spent.dollars + this.#reserved.dollars + dollars > most ? 'dollars' : undefined
  }

  #let(model: GatedModel, needed: Need): Permit {
    this.#spent = { ...this.#spent, requests: this.#spent.requests + 1 }
    const amount = computeAmount(model, needed)
    this.#reserve(amount, 1)
    let isOpen = true
    return ending => {
      if (!isOpen) return
      isOpen = false
      this.#reserve(amount, -1)
      if (ending.type === 'unsent' || (ending.type === 'failed' && ending.isUnreachable === true)) {
        // The request was not sent, so it is not counted.
        this.#spent = { ...this.#spent, requests: this.#spent.requests - 1 }
      }
      if (ending.type === 'answered') this.#answered(model, needed, ending.usage)
      else if (ending.type === 'overtaken') this.#spend(model, needed, ending.usage)
      else if (ending.type === 'failed') {
        if (ending.usage !== undefined) this.#spend(model, noNeed, ending.usage)
        this.#failed(model, ending)
      }
    }
  }

  #reserve({ tokens, dollars }: Amount, sign: 1 | -1): void {
    this.#underWay += sign
    // Without requests in flight nothing is reserved, whatever the rounding errors.
    this.#reserved =
      this.#underWay === 0
        ? { tokens: 0, dollars: 0 }
        : { tokens: this.#reserved.tokens + sign * tokens, dollars: this.#reserved.dollars + sign * dollars }
  }

  /** Counts the estimate if a server does not report tokens. */
  #spend(
    model: GatedModel,
    needed: Need,
    usage: Usage = {},
  ): { readonly inputTokens: number; readonly outputTokens: number } {
    const { inputTokens = needed.inputTokens, outputTokens = needed.outputTokens } = usage
    const used = computeAmount(model, { ...usage, inputTokens, outputTokens })
    const { requests, tokens, dollars } = this.#spent
    this.#spent = { requests, tokens: tokens + used.tokens, dollars: dollars + used.dollars }
    return { inputTokens, outputTokens }
  }

  #answered(model: GatedModel, needed: Need, usage: Usage | undefined): void {
    const { inputTokens, outputTokens } = this.#spend(model, needed, usage)
    noteAnswer(model, needed, { inputTokens, outputTokens })
    model.refused = 0
    if (model.onRefused === undefined) this.#refusal = undefined
    model.unreachableSince = undefined
  }

  #failed(model: GatedModel, ending: Ending & { type: 'failed' }): void {
    const { class: failureClass, message, isForGood, access, awayMs } = ending
    this.#reach(model, ending)
    if (awayMs !== undefined)
      this.#refused(model, failureClass, {
        why: 'away',
        message: `${message} (the server asks to wait ${formatMinutes(awayMs)})`,
      })
    if (access !== undefined) {
      model.refused += 1
      // An account may run out of credit during a run. Any other access problem is excluded by earlier answers.
      const isOfAll = model.answered === 0 || failureClass === 'rate_limited'
      const stop = { why: 'access', message, access, refused: model.refused } as const
      if (isOfAll && model.onRefused === undefined) this.#refusal = stop
      if (isOfAll && model.refused >= refusalsToBelieve) this.#refused(model, failureClass, stop)
    }
    if (!isForGood || failureClass === 'budget') return
    this.#failures += 1
    const { failures = Infinity } = this.#options.limits
    if (this.#failures < failures) return
    const last = `${failureClass}: ${message}`
    this.#end({ why: 'failures', limit: 'failures', message: `${this.#options.say('failures')}: the last was ${last}` })
  }

  #reach(model: GatedModel, { class: failureClass, message, isUnreachable }: Ending & { type: 'failed' }): void {
    const now = this.#options.clock.now()
    model.unreachableSince = isUnreachable === true ? (model.unreachableSince ?? now) : undefined
    const ms = model.unreachableSince === undefined ? 0 : now - model.unreachableSince
    if (ms < (model.answered === 0 ? unreachable.atFirst : unreachable.later)) return
    const said = `${message} (for ${Math.round(ms / 1_000)} s)`
    this.#refused(model, failureClass, { why: 'access', message: said, access: { about: 'connection', said } })
  }

  #refused({ onRefused }: GatedModel, failureClass: FailureClass, stop: Stop): void {
    if (onRefused === undefined) this.#end(stop)
    else onRefused(stop.message, failureClass)
  }

  #used(limit: 'tokens' | 'dollars'): string {
    const { tokens, dollars } = this.#spent
    return limit === 'tokens'
      ? `${tokens} used, the next may be too much`
      : `$${formatDollars(dollars)} spent, the next may be too much`
  }

  #overBudget(limit: keyof Limits, how: string): undefined {
    this.#end({ why: 'budget', limit, message: `${this.#options.say(limit)}: ${how}` })
    return undefined
  }

  #end(stop: Stop): void {
    if (this.#stop !== undefined) return
    this.#stop = stop
    this.#cancelTimer?.()
    this.#options.onStop(stop)
  }
}

/** Writes milliseconds as minutes, such as `90 min`. */
const formatMinutes = (ms: number): string => `${Math.ceil(ms / 60_000)} min`

const formatDollars = (dollars: number): string => dollars.toFixed(dollars < 1 ? 4 : 2)
