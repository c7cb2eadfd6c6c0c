import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { ownValue } from '../../../base/values/named-values.js'
import type { Run, ScoreBody } from '../../../cache/records.js'
import type { Sample } from '../../../cache/store.js'
import type { SampleRow } from '../page-data/index.js'

/** The number of a doc's first metric, and whether it is right: 1 or more, or 0 or less where lower is better. */
export interface FirstValue {
  readonly value: number | null
  readonly isRight: boolean | null
}

/** @param lower the metrics for which lower is better, from `lowerIsBetter` */
export function firstValue(
  run: Pick<Run, 'asked' | 'provenance'>,
  { task, score }: Pick<Sample, 'task' | 'score'>,
  lower: ReadonlySet<string>,
): FirstValue {
  const [metric, given] = Object.entries(score?.values ?? {})[0] ?? []
  const value = given === undefined ? undefined : numberIn(given, scoreKeyOf(run, task))
  if (metric === undefined || value === undefined) return { value: null, isRight: null }
  return { value, isRight: lower.has(metric) ? value <= 0 : value >= 1 }
}

/** The field of a value that is an object: the task's `score_key`. */
const scoreKeyOf = ({ asked, provenance }: Pick<Run, 'asked' | 'provenance'>, task: number): string =>
  ownValue(provenance.scoring, asked.tasks[task]?.name ?? '')?.config.score_key ?? 'score'

function numberIn(value: Json, key: string): number | undefined {
  const found = isObject(value) ? value[key] : value
  return typeof found === 'number' ? found : undefined
}

/** What became of a doc. A failed request counts more than the scores of the others. */
export function outcomeOf({ items, score }: Pick<Sample, 'items' | 'score'>): SampleRow['outcome'] {
  if (items.some(({ failure }) => failure !== undefined)) return 'failed'
  return score?.outcome ?? 'waiting'
}

/** Marks that a score has, in the form of a row: only what is true. */
export const marksOf = (score: ScoreBody | undefined): Pick<SampleRow, 'empty' | 'cut'> => ({
  ...(score?.empty === true && { empty: true }),
  ...(score?.cut === true && { cut: true }),
})
