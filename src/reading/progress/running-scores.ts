import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { isUnscored } from '../../../cache/facts/value-facts.js'
import type { Judgement, Run, ScoreBody, ScoringRules } from '../../../cache/records.js'
import type { DocPlace, Store } from '../../../cache/store.js'
import { addSums, noSums, runningInterval, type RunningSums } from './running-mean.js'

/** The preliminary score of a task while its judgement is in progress. */
export interface RunningTaskScore {
  readonly task: string
  /** `exact_match`, or `exact_match,strict` with a named filter pipeline. */
  readonly metric: string
  readonly value: number
  readonly interval: readonly [number, number] | null
  /** The number of docs that were read for it. */
  readonly n: number
}

interface TaskSums {
  readonly metric: string
  readonly sums: RunningSums
  /** True if all values are between 0 and 1. Other values, such as log-likelihoods, may not be plain averages. */
  readonly isShare: boolean
}

/**
 * Averages the scores of a judgement that is not finished. Each call reads at most some scores more, in the order of
 * the docs. A doc that is scored after a later one that was read is left out until the judgement is finished.
 */
export class RunningScores {
  readonly #store: Pick<Store, 'judgements'>
  readonly #run: Run
  #judgement: number | undefined
  #after: DocPlace | undefined
  #tasks = new Map<number, TaskSums>()

  constructor(store: Pick<Store, 'judgements'>, run: Run) {
    this.#store = store
    this.#run = run
  }

  /** @param limit the maximum number of scores to read */
  async read(judgement: Judgement, limit: number): Promise<readonly RunningTaskScore[]> {
    if (this.#judgement !== judgement.ref) {
      this.#judgement = judgement.ref
      this.#after = undefined
      this.#tasks = new Map()
    }
    let remainingScores = limit
    for await (const { task, index, body } of this.#store.judgements.scores(judgement, undefined, this.#after)) {
      this.#after = { task, index }
      this.#add(task, body, judgement)
      remainingScores -= 1
      if (remainingScores <= 0) break
    }
    return this.#scores()
  }

  #add(task: number, body: ScoreBody, judgement: Judgement): void {
    const { values } = body
    const taskSums = this.#tasks.get(task)
    // Of a doc of which a value failed, the first value may be that of another metric.
    const first = isUnscored(body) ? undefined : meanIn(values, judgement.tasks[task]?.judging.config)
    const metric = taskSums?.metric ?? first
    const value = metric === undefined ? undefined : values[metric]
    if (metric === undefined || typeof value !== 'number') return
    this.#tasks.set(task, {
      metric,
      sums: addSums(taskSums?.sums ?? noSums, { n: 1, sum: value, squares: value * value }),
      isShare: (taskSums?.isShare ?? true) && value >= 0 && value <= 1,
    })
  }

  #scores(): readonly RunningTaskScore[] {
    return [...this.#tasks].flatMap(([task, { metric, sums, isShare }]) => {
      const name = this.#run.asked.tasks[task]?.name
      if (name === undefined || !isShare) return []
      return { task: name, metric, value: sums.sum / sums.n, interval: runningInterval(sums), n: sums.n }
    })
  }
}

/** Finds the first numeric metric of a doc that the task aggregates as a mean. */
function meanIn(values: ScoreBody['values'], rules: ScoringRules | undefined): string | undefined {
  const others = new Set((rules?.metric_list ?? []).flatMap(otherAggregation))
  return Object.keys(values).find(key => typeof values[key] === 'number' && !others.has(key.split(',')[0] ?? key))
}

function otherAggregation(entry: Json): readonly Json[] {
  if (!isObject(entry)) return []
  const { metric, aggregation } = entry
  return metric === undefined || aggregation === undefined || aggregation === 'mean' ? [] : [metric]
}
