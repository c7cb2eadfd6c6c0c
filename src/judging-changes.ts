import type { Judgement, Run } from '../cache/records.js'
import type { Store } from '../cache/store.js'
import { ruleChanges, scoreChanges } from '../stages/judge/changes.js'
import type { JudgementChanges, MetricMove } from './settings.js'

/** What a judgement changed against the finished one before it; undefined where there is none, or it is the same. */
export async function changesSince(made: {
  readonly store: Store
  readonly run: Run
  readonly judgement: Judgement
  /** Docs whose score was not in the store. */
  readonly rescored: number
}): Promise<JudgementChanges | undefined> {
  const { store, run, judgement, rescored } = made
  const before = (await store.listJudgements(run)).findLast(
    other => other.number < judgement.number && other.finishedAt !== undefined,
  )
  if (before === undefined) return undefined
  const moved = await scoreChanges(store.scores(before), store.scores(judgement))
  return {
    before: { number: before.number, createdAt: before.createdAt },
    reasons: reasonsOf(run, before, judgement),
    rescored,
    moved: moved.values.map((change): MetricMove => {
      const [metric = change.value, filter = 'none'] = change.value.split(',')
      return {
        task: run.asked.tasks[change.task]?.name ?? '',
        metric,
        filter,
        before: change.before,
        after: change.after,
        up: change.up.length,
        down: change.down.length,
      }
    }),
  }
}

/** What is told of a judgement that was there and had every score. */
export const noChanges = ({ number, createdAt, finishedAt }: Judgement): JudgementChanges => ({
  before: { number, createdAt: finishedAt ?? createdAt },
  reasons: [],
  rescored: 0,
  moved: [],
})

function reasonsOf(run: Run, before: Judgement, after: Judgement): readonly string[] {
  const reasons = new Set<string>()
  for (const [index, task] of after.tasks.entries()) {
    const old = before.tasks[index]
    if (old === undefined) continue
    const { config, code } = ruleChanges(old.judging, task.judging)
    const name = run.asked.tasks[index]?.name ?? ''
    for (const { path } of config) reasons.add(path === 'records' ? `targets of ${name}` : `${name}: ${path}`)
    for (const { path } of code) reasons.add(path.replace(/^task\//, `${name}/`))
  }
  return [...reasons]
}
