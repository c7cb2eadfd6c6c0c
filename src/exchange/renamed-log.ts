import { PipelineError } from '../../base/errors/errors.js'
import { shownPath } from '../../base/files/shown-path.js'
import { ownValue } from '../../base/values/named-values.js'
import type { ForeignLog, ForeignSample, ForeignTask, ReportedScore } from './foreign-log.js'

/** Names that tasks and metrics of a log get when it is imported. */
export interface NewNames {
  /** New names by the log's names, or the new name of a log's only task. */
  readonly tasks?: string | Readonly<Record<string, string>>
  /** New names by the log's names: `metric` with all of its filters, or `metric,filter`. */
  readonly metrics?: Readonly<Record<string, string>>
}

/**
 * Gives tasks and metrics of a log other names, so that `compare` pairs them with those of another run.
 *
 * @throws PipelineError while the log is read, if it lacks a name or if two names become one
 */
export function renamedLog(log: ForeignLog, { tasks = {}, metrics = {} }: NewNames): ForeignLog {
  const isBare = typeof tasks !== 'string' && Object.keys(tasks).length === 0
  return isBare && Object.keys(metrics).length === 0 ? log : { ...log, tasks: () => renamedTasks(log, tasks, metrics) }
}

async function* renamedTasks(
  log: ForeignLog,
  tasks: NonNullable<NewNames['tasks']>,
  metrics: Readonly<Record<string, string>>,
): AsyncGenerator<ForeignTask> {
  const location = log.files.map(shownPath).slice(0, 1).join()
  const loggedNames = { tasks: new Set<string>(), metrics: new Set<string>() }
  for await (const task of log.tasks()) {
    loggedNames.tasks.add(task.task)
    if (typeof tasks === 'string' && loggedNames.tasks.size > 1) {
      const taskNames = [...loggedNames.tasks].join(', ')
      throw new PipelineError('usage', `${location} has several tasks (${taskNames}, …): write --task NAME=${tasks}`)
    }
    const names = new MetricNames(task.task, metrics)
    yield renamedTask(task, (typeof tasks === 'string' ? tasks : ownValue(tasks, task.task)) ?? task.task, names)
    for (const name of names.found) loggedNames.metrics.add(name)
  }
  if (typeof tasks !== 'string') refuseUnknown(location, 'task', Object.keys(tasks), loggedNames.tasks)
  refuseUnknown(location, 'metric', Object.keys(metrics), loggedNames.metrics)
}

function renamedTask(task: ForeignTask, name: string, names: MetricNames): ForeignTask {
  const { higherIsBetter, aggregations } = task
  return {
    ...task,
    task: name,
    origin: { task: task.task, metrics: names.given },
    reported: task.reported.map(score => names.reported(score)),
    ...(higherIsBetter === undefined ? {} : { higherIsBetter: names.settings(higherIsBetter) }),
    ...(aggregations === undefined ? {} : { aggregations: names.settings(aggregations) }),
    async *samples() {
      for await (const sample of task.samples()) yield names.sample(sample)
    },
  }
}

function refuseUnknown(
  location: string,
  kind: 'task' | 'metric',
  namesToRename: readonly string[],
  loggedNames: ReadonlySet<string>,
) {
  const metricsAlone = kind === 'metric' ? [...loggedNames].map(bare) : []
  const unknown = namesToRename.find(name => !loggedNames.has(name) && !metricsAlone.includes(name))
  if (unknown === undefined) return
  const names = loggedNames.size === 0 ? 'none' : [...loggedNames].join(', ')
  throw new PipelineError('usage', [
    `${location}: the log has no ${kind} "${unknown}", which --${kind} renames`,
    `  ${kind}s of the log: ${names}`,
  ])
}

const bare = (name: string): string => (name.includes(',') ? name.slice(0, name.lastIndexOf(',')) : name)

/** Renames the metrics of one task. */
class MetricNames {
  readonly #task: string
  readonly given: Readonly<Record<string, string>>
  /** New names by the names that the task has. */
  readonly #names = new Map<string, string>()
  readonly #taken = new Map<string, string>()

  constructor(task: string, newNames: Readonly<Record<string, string>>) {
    this.#task = task
    this.given = newNames
  }

  get found(): Iterable<string> {
    return this.#names.keys()
  }

  sample(sample: ForeignSample): ForeignSample {
    const { scores, extracted } = sample
    return {
      ...sample,
      scores: this.#fields(scores, name => this.#nameOf(name)),
      // Extracted values are named by metric or by filter. Filters keep their names.
      ...(extracted === undefined ? {} : { extracted: this.#fields(extracted, name => this.#names.get(name) ?? name) }),
    }
  }

  reported(score: ReportedScore): ReportedScore {
    const { metric, filter, ...others } = score
    const name = filter === undefined ? metric : `${metric},${filter}`
    const renamed = this.#nameOf(name)
    if (renamed === withoutNone(name)) return score
    const comma = renamed.lastIndexOf(',')
    return comma < 0
      ? { ...others, metric: renamed }
      : { ...others, metric: renamed.slice(0, comma), filter: renamed.slice(comma + 1) }
  }

  /** Renames the keys of settings by metric. If only one filter is renamed, its new name gets the settings of the metric. */
  settings<Value>(settings: Readonly<Record<string, Value>>): Record<string, Value> {
    const renamed = { ...settings }
    for (const [old, name] of Object.entries(this.given)) {
      const value = ownValue(settings, old) ?? ownValue(settings, bare(old))
      if (value !== undefined) renamed[bare(name)] = value
    }
    return renamed
  }

  #fields<Value>(fields: Readonly<Record<string, Value>>, nameOf: (name: string) => string): Record<string, Value> {
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [nameOf(name), value]))
  }

  #nameOf(loggedName: string): string {
    const name = withoutNone(loggedName)
    const newName = this.#names.get(name)
    if (newName !== undefined) return newName
    const metric = bare(name)
    const ofMetric = ownValue(this.given, metric)
    const renamed =
      ownValue(this.given, name) ?? (ofMetric === undefined ? name : `${ofMetric}${name.slice(metric.length)}`)
    const other = this.#taken.get(renamed)
    if (other !== undefined)
      throw new PipelineError(
        'usage',
        `task ${this.#task}: its metrics "${other}" and "${name}" would both be named "${renamed}". Give --metric another name.`,
      )
    this.#taken.set(renamed, name)
    this.#names.set(name, renamed)
    return renamed
  }
}

const withoutNone = (name: string): string => (name.endsWith(',none') ? name.slice(0, -',none'.length) : name)
