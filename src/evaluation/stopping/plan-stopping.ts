/** Checks a stop condition before work starts, and resolves the run that it names. */
import { PipelineError } from '../../../base/errors/errors.js'
import { command, option } from '../../../base/errors/option-words.js'
import { didYouMean } from '../../../base/text/suggest.js'
import type { DatasetIdentity, StopCondition } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import type { Task } from '../../../stages/input/tasks/task.js'
import { independent } from '../../../stages/judge/score-marks.js'
import type { ScoreColumn, Scorer } from '../../../stages/judge/scorer.js'
import type { EvalSettings } from '../../config/settings.js'
import { formatStopCondition } from '../../config/values/stop-when.js'
import { makeDataKey } from '../../reading/comparing/asked-differences.js'
import { openRun } from '../../reading/runs/run-reference.js'

/** Replaces the reference to a run by its name and judgement, so that the condition means the same scores later. */
export async function resolveStopRun(settings: EvalSettings, store: Store): Promise<EvalSettings> {
  const { stopWhen } = settings
  if (stopWhen?.type !== 'decided') return settings
  const { run, judgement } = await openRun(store, stopWhen.run)
  const name = judgement === undefined ? run.name : `${run.name}@${judgement.number}`
  return { ...settings, stopWhen: { ...stopWhen, run: name } }
}

/** Returns the value that a condition checks: the named one, else the first. */
export const findColumn = ({ metric }: StopCondition, { columns }: Pick<Scorer, 'columns'>): ScoreColumn | undefined =>
  metric === undefined ? columns[0] : columns.find(({ name, metric: short }) => name === metric || short === metric)

/** Tells whether a value is a mean that a confidence sequence can bound. */
export const isBounded = (column: ScoreColumn): column is ScoreColumn & { readonly range: readonly [number, number] } =>
  column.isMean && column.range !== undefined && column.range.every(end => Number.isFinite(end))

/**
 * Rejects conditions that cannot be decided.
 *
 * @throws PipelineError with one line for each reason
 */
export async function refuseStopping(
  { stopWhen, batch }: EvalSettings,
  {
    tasks,
    scorers,
    datasets,
    hasGroups,
    store,
  }: {
    readonly tasks: readonly Task[]
    readonly scorers: readonly Scorer[]
    readonly datasets: readonly DatasetIdentity[]
    readonly hasGroups: boolean
    readonly store: Store
  },
): Promise<void> {
  if (stopWhen === undefined) return
  const named = option('stopWhen')
  const problems = [
    ...(hasGroups
      ? [`${named}: a group has one score for all its tasks, and each task stops by itself. Name tasks.`]
      : []),
    ...(batch === true ? [`${named} and ${option('batch')}: a batch is answered as a whole. Give one of them.`] : []),
    ...tasks.flatMap((task, index) => {
      const scorer = scorers[index]
      return scorer === undefined ? [] : listProblems(stopWhen, task, scorer).map(text => `${named}: ${text}`)
    }),
    ...(stopWhen.type === 'decided' ? await listRunProblems(stopWhen.run, { tasks, datasets, store, named }) : []),
  ]
  if (problems.length > 0) throw new PipelineError('usage', problems)
}

function listProblems(condition: StopCondition, { name, config }: Task, scorer: Scorer): readonly string[] {
  const column = findColumn(condition, scorer)
  const names = scorer.columns.map(({ name: value }) => value)
  if (column === undefined)
    return [
      `task ${name} has no metric "${condition.metric}". It has: ${names.join(', ')}.${didYouMean(condition.metric ?? '', names)}`,
    ]
  if (config.cluster_key !== undefined && config.cluster_key !== independent)
    return [`task ${name} has docs that are not independent (cluster_key), which a confidence sequence cannot count.`]
  if (!column.isMean) return [`${column.name} of task ${name} is not a mean of one value per doc.`]
  if (!isBounded(column)) return [`${column.name} of task ${name} has no known lowest and highest value.`]
  return []
}

async function listRunProblems(
  name: string,
  {
    tasks,
    datasets,
    store,
    named,
  }: {
    readonly tasks: readonly Task[]
    readonly datasets: readonly DatasetIdentity[]
    readonly store: Store
    readonly named: string
  },
): Promise<readonly string[]> {
  const { run, judgement } = await openRun(store, name)
  if (judgement?.finishedAt === undefined) return [`${named}: run ${name} has no scores yet. Finish it first.`]
  return tasks.flatMap(({ name: task }, index) => {
    const other = run.asked.tasks.find(({ name: otherName }) => otherName === task)
    if (other === undefined) return [`${named}: run ${name} has no task ${task}.`]
    const dataset = datasets[index]
    return dataset !== undefined && makeDataKey(other) === makeDataKey({ dataset })
      ? []
      : [`${named}: run ${name} has other data of task ${task}, so that docs cannot be paired.`]
  })
}

/** Rejects a condition if docs are not scored while requests are sent. */
export function refuseUnscored(
  { stopWhen }: Pick<EvalSettings, 'stopWhen'>,
  stages: { readonly input: boolean; readonly model: boolean; readonly judge: boolean },
): void {
  if (stopWhen === undefined || (stages.input && stages.model && stages.judge)) return
  throw new PipelineError(
    'usage',
    `${option('stopWhen')}: "${formatStopCondition(stopWhen)}" needs scores while docs are asked. Run all stages (${command('eval')}).`,
  )
}
