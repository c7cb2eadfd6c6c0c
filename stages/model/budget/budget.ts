import type { Clock } from '../../../base/time/clock.js'
import type { AccessFailure } from '../model.js'
import type { FailureClass, Usage } from '../../../cache/records.js'
import { estimateInput, mostOutput, type TokenRange } from './estimate.js'
import type { Ending, Gate, Permit } from './gate.js'
import { costOf, type Price } from './price.js'

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

/** Why nothing more is sent. With `budget`, the run's remaining requests fail. Otherwise they stay pending. */
export interface Stop {
  /** `away`: the server asks for a longer wait than the maximum. */
  readonly why: 'budget' | 'failures' | 'access' | 'away'
  /** The limit that was reached, if the reason is a limit. */
  readonly limit?: keyof Limits
  /** The access problem, if the reason is `access`. */
  readonly access?: AccessFailure
  /** How many requests were refused in a row, if the reason is `access`. */
  readonly refused?: number
  readonly message: string
}

/** What was spent so far on all models. */
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
 * How many milliseconds a server may be unreachable before the work stops. A restart takes minutes. A server that never
 * answered is probably not there.
 */
const unreachable = { atFirst: 30_000, later: 300_000 }

export interface LaneOptions {
  /** Without a price, the cost of requests is unknown, so no request is held back for it. */
  readonly price?: Price | undefined
  /** Called instead of `onStop` if the first requests are refused for access. Other models continue. */
  readonly onRefused?: ((message: string, failureClass: FailureClass) => void) | undefined
}

/** The measured use of one model, from which the next request is estimated. */
interface Lane extends LaneOptions {
  answered: number
  refused: number
  /** Since when the server is unreachable, in milliseconds of the clock. Undefined while it is reachable. */
  unreachableSince: number | undefined
  /** The most output tokens of an answer so far. */
  mostOutput: number
  /** The highest ratio of actual to estimated input tokens so far. */
  inputFactor: number
}

interface Needed {
  readonly guessed: TokenRange
  readonly inputTokens: number
  readonly outputTokens: number
}

const nothingNeeded: Needed = { guessed: { low: 0, likely: 0, high: 0 }, inputTokens: 0, outputTokens: 0 }

interface Amount {
  readonly tokens: number
  readonly dollars: number
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

  /** Why nothing more is admitted. Undefined while requests are admitted. */
  get stopped(): Stop | undefined {
    return this.#stop
  }

  /** Set while every request so far was refused for access, even if these are too few to stop the work. */
  get refusal(): Stop | undefined {
    return this.#refusal
  }

  /** Ends the time limit. */
  close(): void {
    this.#cancelTimer?.()
  }

  /** Makes the gate of one model. All gates share this budget. */
  lane(options: LaneOptions = {}): Gate {
    const lane: Lane = {
      ...options,
      answered: 0,
      refused: 0,
      unreachableSince: undefined,
      mostOutput: 0,
      inputFactor: 1,
    }
    const { requests, tokens, dollars } = this.#options.limits
    return {
      isScarce: [requests, tokens, dollars].some(limit => limit !== undefined),
      admit: (request, need) => (need === 'spare' ? this.#admitSpare(lane, request) : this.#admit(lane, request)),
      failed: ending => this.#failed(lane, ending),
    }
  }

  #admit(lane: Lane, request: Parameters<Gate['admit']>[0]): Permit | undefined {
    if (this.#stop !== undefined) return undefined
    const { requests = Infinity } = this.#options.limits
    if (this.#spent.requests >= requests) {
      return this.#overBudget('requests', `${this.#spent.requests} were sent`)
    }
    const needed = this.#guess(lane, request)
    const over = this.#over(amountOf(lane, needed))
    if (over !== undefined) {
      if (this.#underWay > 0) return undefined
      const least = amountOf(lane, { inputTokens: needed.guessed.low, outputTokens: 1 })
      if (lane.answered > 0 || this.#over(least) !== undefined) return this.#overBudget(over, this.#used(over))
    }
    return this.#let(lane, needed)
  }

  #admitSpare(lane: Lane, request: Parameters<Gate['admit']>[0]): Permit | undefined {
    const { requests = Infinity } = this.#options.limits
    const needed = this.#guess(lane, request)
    const isLeft = this.#spent.requests < requests && this.#over(amountOf(lane, needed)) === undefined
    return this.#stop === undefined && isLeft ? this.#let(lane, needed) : undefined
  }

  /** Estimates the cost of a request. It is zero if no limit needs it. */
  #guess(lane: Lane, { input, generation }: Parameters<Gate['admit']>[0]): Needed {
    const { tokens, dollars } = this.#options.limits
    if (tokens === undefined && dollars === undefined) return nothingNeeded
    const guessed = estimateInput(input)
    return {
      guessed,
      inputTokens: lane.answered > 0 ? Math.ceil(guessed.likely * lane.inputFactor) : guessed.high,
      outputTokens: lane.answered > 0 ? lane.mostOutput : mostOutput(input, generation),
    }
  }

  /** Returns the limit that would be exceeded by this additional amount. */
  #over({ tokens, dollars }: Amount): 'tokens' | 'dollars' | undefined {
    const { limits } = this.#options
    if (this.#spent.tokens + this.#reserved.tokens + tokens > (limits.tokens ?? Infinity)) return 'tokens'
    // The tolerance covers rounding errors in sums of fractions of a cent.
    const most = (limits.dollars ?? Infinity) * (1 + 1e-9)
    return this.#spent.dollars + this.#reserved.dollars + dollars > most ? 'dollars' : undefined
  }

  #let(lane: Lane, needed: Needed): Permit {
    this.#spent = { ...this.#spent, requests: this.#spent.requests + 1 }
    const amount = amountOf(lane, needed)
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
      if (ending.type === 'answered') this.#answered(lane, needed, ending.usage)
      else if (ending.type === 'overtaken') this.#spend(lane, needed, ending.usage)
      else if (ending.type === 'failed') {
        if (ending.usage !== undefined) this.#spend(lane, nothingNeeded, ending.usage)
        this.#failed(lane, ending)
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
    lane: Lane,
    needed: Needed,
    usage: Usage = {},
  ): { readonly inputTokens: number; readonly outputTokens: number } {
    const { inputTokens = needed.inputTokens, outputTokens = needed.outputTokens } = usage
    const used = amountOf(lane, { ...usage, inputTokens, outputTokens })
    const { requests, tokens, dollars } = this.#spent
    this.#spent = { requests, tokens: tokens + used.tokens, dollars: dollars + used.dollars }
    return { inputTokens, outputTokens }
  }

  #answered(lane: Lane, needed: Needed, usage: Usage | undefined): void {
    const { inputTokens, outputTokens } = this.#spend(lane, needed, usage)
    lane.mostOutput = Math.max(lane.mostOutput, outputTokens)
    const factor = inputTokens / Math.max(1, needed.guessed.likely)
    lane.inputFactor = lane.answered === 0 ? factor : Math.max(lane.inputFactor, factor)
    lane.answered += 1
    lane.refused = 0
    if (lane.onRefused === undefined) this.#refusal = undefined
    lane.unreachableSince = undefined
  }

  #failed(lane: Lane, ending: Ending & { type: 'failed' }): void {
    const { class: failureClass, message, isForGood, access, awayMs } = ending
    this.#reach(lane, ending)
    if (awayMs !== undefined)
      this.#refused(lane, failureClass, {
        why: 'away',
        message: `${message} (the server asks to wait ${spoken(awayMs)})`,
      })
    if (access !== undefined) {
      lane.refused += 1
      // An account may run out of credit during a run. Any other access problem is excluded by earlier answers.
      const isOfAll = lane.answered === 0 || failureClass === 'rate_limited'
      const stop = { why: 'access', message, access, refused: lane.refused } as const
      if (isOfAll && lane.onRefused === undefined) this.#refusal = stop
      if (isOfAll && lane.refused >= refusalsToBelieve) this.#refused(lane, failureClass, stop)
    }
    if (!isForGood || failureClass === 'budget') return
    this.#failures += 1
    const { failures = Infinity } = this.#options.limits
    if (this.#failures < failures) return
    const last = `${failureClass}: ${message}`
    this.#end({ why: 'failures', limit: 'failures', message: `${this.#options.say('failures')}: the last was ${last}` })
  }

  #reach(lane: Lane, { class: failureClass, message, isUnreachable }: Ending & { type: 'failed' }): void {
    const now = this.#options.clock.now()
    lane.unreachableSince = isUnreachable === true ? (lane.unreachableSince ?? now) : undefined
    const ms = lane.unreachableSince === undefined ? 0 : now - lane.unreachableSince
    if (ms < (lane.answered === 0 ? unreachable.atFirst : unreachable.later)) return
    const said = `${message} (for ${Math.round(ms / 1_000)} s)`
    this.#refused(lane, failureClass, { why: 'access', message: said, access: { about: 'connection', said } })
  }

  #refused({ onRefused }: Lane, failureClass: FailureClass, stop: Stop): void {
    if (onRefused === undefined) this.#end(stop)
    else onRefused(stop.message, failureClass)
  }

  #used(limit: 'tokens' | 'dollars'): string {
    const { tokens, dollars } = this.#spent
    return limit === 'tokens'
      ? `${tokens} used, the next may be too much`
      : `$${shown(dollars)} spent, the next may be too much`
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

function amountOf({ price }: Lane, usage: Usage): Amount {
  const { inputTokens = 0, outputTokens = 0 } = usage
  return { tokens: inputTokens + outputTokens, dollars: price === undefined ? 0 : (costOf(usage, price) ?? 0) }
}

/** Writes milliseconds as minutes, such as `90 min`. */
const spoken = (ms: number): string => `${Math.ceil(ms / 60_000)} min`

const shown = (dollars: number): string => dollars.toFixed(dollars < 1 ? 4 : 2)
