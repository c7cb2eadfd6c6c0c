import { join } from 'node:path'
import type { Wake } from '../../base/time/wake.js'
import { emptyTable } from '../../base/values/named-values.js'
import type { Run, Judgement } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { Totals } from '../../stages/judge/aggregate.js'
import type { GroupSpec } from '../../stages/judge/group-aggregates.js'
import { type JudgeWork, type JudgeOutcome, judgeRun } from '../../stages/judge/judge.js'
import { readLabels } from '../../stages/judge/score-marks.js'
import type { Scorer } from '../../stages/judge/scorer.js'
import type { Judges } from '../judging/judges.js'
import { judgementBefore } from '../judging/judging-changes.js'
import type { Hooks } from '../config/settings.js'
import { withAnytimeIntervals } from './stopping/decide-by-scores.js'

/** Runs the judge stage, alone or beside the others. */
export function judge(
  work: {
    readonly store: Store
    readonly run: Run
    readonly hooks: Pick<Hooks, 'emit'>
    /** The open judgement. */
    readonly judgement?: Judgement | undefined
    /** Tells whether a doc is to be scored, for `resume --docs`. @default all are */
    readonly isMeant?: JudgeWork['isMeant']
    readonly plan: {
      readonly scorers: readonly Scorer[]
      readonly groups: readonly GroupSpec[]
      readonly judges?: Pick<Judges, 'isAsking'>
    }
  },
  flow: Pick<JudgeWork, 'drain' | 'lastAnswered' | 'upstreamFinished'> & { readonly answers: Wake },
): Promise<JudgeOutcome> {
  const { store, run, judgement } = work
  if (judgement === undefined) throw new Error('internal error: no judgement was opened')
  const { scorers, groups, judges } = work.plan
  return judgeRun({
    store,
    run,
    judgement,
    scorers,
    groups,
    isMeant: work.isMeant,
    files: join(store.workFolder, 'submissions', run.name),
    upstreamFinished: flow.upstreamFinished,
    ...(flow.lastAnswered && { lastAnswered: flow.lastAnswered }),
    totals: () => countTotals(store, run, judgement, scorers),
    refine: aggregates => withAnytimeIntervals({ store, run, judgement, scorers }, aggregates),
    before: () => judgementBefore(store, run, judgement),
    answered: flow.answers,
    drain: flow.drain,
    isAsking: () => judges?.isAsking === true,
    emit: work.hooks.emit,
  })
}

/** Counts the docs of each task, scored or not. If some docs have no score, they are counted by label of the breakdown. */
async function countTotals(
  store: Store,
  run: Run,
  judgement: Judgement,
  scorers: readonly Scorer[],
): Promise<readonly Totals[]> {
  const { docs, docsByTask } = await store.runs.counts(run)
  const outcomes = await store.judgements.outcomes(judgement)
  const isWhole = Object.values(outcomes).reduce((sum, n) => sum + n, 0) === docs
  const groups = scorers.map(({ breakdown }): Record<string, Record<string, number>> =>
    Object.fromEntries(breakdown.map(field => [field, emptyTable<number>()])),
  )
  if (!isWhole && groups.some(fields => Object.keys(fields).length > 0)) {
    for await (const { task, record } of store.judgements.samples(run)) {
      const counts = groups[task] ?? {}
      for (const [field, label] of Object.entries(readLabels(record, Object.keys(counts)))) {
        const labels = counts[field]
        if (labels !== undefined) labels[label] = (labels[label] ?? 0) + 1
      }
    }
  }
  return scorers.map((_, task) => ({ docs: docsByTask[task] ?? 0, ...(isWhole ? {} : { groups: groups[task] ?? {} }) }))
}
