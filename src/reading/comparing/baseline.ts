import { present } from '../../../base/values/present.js'
import type { Judgement, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { metricLabel } from '../metric-label.js'
import { unpairedDifference, type BaselineDifference } from './baseline-difference.js'
import { compareRuns, type ComparedRun, type CompareHints } from './compare-runs.js'
import type { BaselineScores } from './baseline-scores.js'

/** A run beside a baseline: a run, an exported file, or a file of results. */
export interface BaselineComparison {
  readonly label: string
  readonly rows: readonly BaselineDifference[]
  readonly notes: readonly string[]
}

interface Judged {
  readonly run: Run
  readonly judgement: Judgement
}

/** Compares a run with a stored run or a file of scores alone, doc by doc. @throws PipelineError if the runs have no metric in common */
export async function compareWithRun(
  store: Store,
  { run, judgement }: Judged,
  baseline: ComparedRun,
  hints: CompareHints,
): Promise<BaselineComparison> {
  const compared = await compareRuns(baseline, { store, reference: `${run.id}@${judgement.number}` }, { hints })
  const rows = compared.metrics.map(
    ({ task, metric, a, difference, interval, p, adjustedP = p, verdict }): BaselineDifference => ({
      ...{ task, metric, baseline: a, difference, verdict, isPaired: true },
      ...present({ interval, p: adjustedP }),
    }),
  )
  const missing = compared.metrics.reduce((most, { onlyOne }) => Math.max(most, onlyOne), 0)
  const leftOutNotes = missing === 0 ? [] : [`docs that only one of both has a score for are left out: ${missing}`]
  return { label: compared.a, rows, notes: [...leftOutNotes, ...compared.notes] }
}

/** Compares a run with scores of a file, which says nothing of single docs. */
export function compareWithScores({ judgement }: Judged, { label, scores }: BaselineScores): BaselineComparison {
  const whole = (judgement.aggregates ?? []).filter(({ group }) => group === undefined)
  const rows = whole.flatMap((aggregate): BaselineDifference[] => {
    const metric = metricLabel(aggregate)
    const score = scores.find(candidate => candidate.task === aggregate.task && candidate.metric === metric)
    if (score === undefined || aggregate.value === null) return []
    const own = { value: aggregate.value, stderr: aggregate.stderr }
    return [{ task: aggregate.task, metric, ...unpairedDifference(own, score, aggregate.higherIsBetter) }]
  })
  const note = 'the baseline is a file of scores, so that docs are not compared one by one, and intervals are wide'
  return { label, rows, notes: [note] }
}
