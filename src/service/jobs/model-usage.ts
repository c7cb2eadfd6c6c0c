/** Counts the answers, failures and tokens of models in the jobs of this server, for `/metrics`. */
import type { EvalOutcome } from '../../config/settings.js'

/** The sums of a run when a job with it ended, answers that were in the store before included. */
export interface RunUsage {
  /** The id of the run. */
  readonly run: string
  /** The backend and its model: `openai gpt-4o`. */
  readonly model: string
  readonly answered: number
  /** Failed requests by class. */
  readonly failed: Readonly<Record<string, number>>
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Extracts the usage of one run from its outcome. */
export function runUsage({ run, counts, figures }: EvalOutcome): RunUsage {
  const { backend, args } = run.asked.model
  const name = args['model']
  return {
    run: run.id,
    model: typeof name === 'string' ? `${backend} ${name}` : backend,
    answered: counts.answered,
    failed: { ...counts.failed },
    inputTokens: figures?.tokens.input ?? 0,
    outputTokens: figures?.tokens.output ?? 0,
  }
}

/** The counters that `/metrics` keeps of each model. */
export type UsageKind = 'answered' | 'failed' | 'input' | 'output'

/** `by` is positive. `of` is the class of a failure. */
export interface UsageIncrease {
  readonly model: string
  readonly kind: UsageKind
  readonly of?: string
  readonly by: number
}

/** The maximum number of models with separate counters. Further models count as `other`, because each model is a time series in the monitoring system. */
const mostModels = 200

/** Turns the sums of runs into increases: a run that several jobs worked on is counted once. */
export class ModelUsage {
  readonly #last = new Map<string, RunUsage>()
  readonly #models = new Set<string>()
  readonly #listeners: ((increase: UsageIncrease) => void)[] = []

  subscribe(listener: (increase: UsageIncrease) => void): void {
    this.#listeners.push(listener)
  }

  add(usage: RunUsage): void {
    const before = this.#last.get(usage.run)
    this.#last.set(usage.run, usage)
    if (this.#models.size < mostModels) this.#models.add(usage.model)
    const model = this.#models.has(usage.model) ? usage.model : 'other'
    const tell = (kind: UsageKind, now: number, was = 0, of?: string): void => {
      // A failed request may be answered by a later job, so that its class has fewer then.
      if (now > was)
        for (const listener of this.#listeners)
          listener({ model, kind, by: now - was, ...(of !== undefined && { of }) })
    }
    tell('answered', usage.answered, before?.answered)
    for (const [name, count] of Object.entries(usage.failed)) tell('failed', count, before?.failed[name], name)
    tell('input', usage.inputTokens, before?.inputTokens)
    tell('output', usage.outputTokens, before?.outputTokens)
  }
}
