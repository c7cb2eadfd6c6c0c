import type { Judgement, Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { ruleChanges } from '../../stages/judge/changes.js'
import type { JudgeOutcome } from '../../stages/judge/judge.js'
import type { JudgementChanges, MetricMove } from '../config/settings.js'

/** Finds the last finished judgement before this one. */
export const judgementBefore = async (store: Store, run: Run, judgement: Judgement): Promise<Judgement | undefined> =>
  (await store.judgements.list(run)).findLast(
    other => other.number < judgement.number && other.finishedAt !== undefined,
  )

/** Compares a judgement with the previous one. Undefined if there is none, or if nothing was scored. */
export function changesSince(run: Run, { judgement, counts, moved }: JudgeOutcome): JudgementChanges | undefined {
  if (moved === undefined || counts.docs === 0) return undefined
  const { since: before, values } = moved
  return {
    before: { number: before.number, createdAt: before.createdAt },
    reasons: listReasons(run, before, judgement),
    rescored: counts.docs - counts.reused,
    moved: values.map((change): MetricMove => {
      const [metric = change.value, filter = 'none'] = change.value.split(',')
      return {
        task: run.asked.tasks[change.task]?.name ?? '',
        metric,
        filter,
        before: change.before,
        after: change.after,
        up: change.up,
        down: change.down,
        lost: change.lost,
        gained: change.gained,
      }
    }),
  }
}

/** The changes of a judgement that was complete already: none. */
export const noChanges = ({ number, createdAt, finishedAt }: Judgement): JudgementChanges => ({
  before: { number, createdAt: finishedAt ?? createdAt },
  reasons: [],
  rescored: 0,
  moved: [],
})

function listReasons(run: Run, before: Judgement, after: Judgement): readonly string[] {
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
