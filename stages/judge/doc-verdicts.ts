/** The verdicts of one doc while it is scored. A value that fails leaves the others as they are. */
import { messageOf } from '../../base/errors/errors.js'
import { describeThrown } from '../../cache/code/thrown-position.js'
import type { Verdict } from './define/define-metric.js'

/** The result of one value: its verdict, or the error that kept it from having one. */
export type ValueVerdict =
  | Verdict
  | {
      readonly type: 'error'
      readonly reason: string
      /** The reason without the value's name. */ readonly own: string
    }

export class DocVerdicts {
  readonly #verdicts = new Map<string, ValueVerdict>()
  readonly #settled = new Set<string>()
  #abstained = false
  #current: readonly string[] = []

  /** The verdicts by value, in the order of the metrics. */
  get all(): ReadonlyMap<string, ValueVerdict> {
    return this.#verdicts
  }

  /** Whether a metric does not apply to the doc. */
  get hasAbstained(): boolean {
    return this.#abstained
  }

  /** The values that are being computed and have no verdict so far. */
  get current(): readonly string[] {
    return this.#current.filter(name => !this.isDone(name))
  }

  isDone(name: string): boolean {
    return this.#verdicts.has(name) || this.#settled.has(name)
  }

  /** Notes which values are computed next, so that they fail if the work is stopped. */
  begin(names: readonly string[]): void {
    this.#current = names
  }

  set(name: string, verdict: Verdict): void {
    this.#verdicts.set(name, verdict)
  }

  /** Notes that a metric gave its values under other names. */
  settle(name: string): void {
    this.#settled.add(name)
  }

  /** Notes that a metric does not apply to the doc. */
  abstain(name: string): void {
    this.#abstained = true
    this.settle(name)
  }

  /** Notes that values failed. Values that have a verdict keep it. */
  fail(names: readonly string[], error: unknown): void {
    for (const name of names) {
      if (this.isDone(name)) continue
      const [reason, own] = typeof error === 'string' ? [error, error] : [describeThrown(error), describeOwn(error)]
      this.#verdicts.set(name, { type: 'error', reason, own })
    }
  }

  /**
   * Returns the verdict of an earlier value, for a metric that reads it. Undefined if that metric does not apply.
   *
   * @throws Error if the value failed
   */
  find(name: string): Verdict | undefined {
    const verdict = this.#verdicts.get(name)
    if (verdict?.type === 'error') throw new Error(`it reads ${name}, which failed: ${verdict.own}`)
    return verdict
  }
}

/** An error that names the value it belongs to. */
export class ValueError extends Error {
  constructor(name: string, error: unknown) {
    super(`${name}: ${messageOf(error)}`, { cause: error })
  }
}

const describeOwn = (error: unknown): string => describeThrown(error instanceof ValueError ? error.cause : error)
