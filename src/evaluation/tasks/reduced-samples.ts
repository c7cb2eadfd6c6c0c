import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { without } from '../../../base/values/without.js'
import type { JsonObject } from '../../../cache/records.js'
import { isTextAnswer, readMetrics } from '../../../stages/judge/compile/metric-entries.js'
import { loadJudges } from '../../../stages/judge/compile/registry.js'
import type { Task } from '../../../stages/input/tasks/task.js'

interface Pipeline {
  readonly name: string
  readonly filter: readonly JsonObject[]
}

/** Filters that leave one sample of several. */
const choosing = new Set(['take_first', 'majority_vote'])

/**
 * Replaces how a task combines the samples of a doc: each metric is computed for each rule, as `exact_match_pass@4`.
 *
 * @param rules `mean`, `first`, `max`, `min`, `majority` or `pass@K`
 * @throws PipelineError (usage) where the task has no samples that rules could combine, or too few
 */
export function withReduce(task: Task, rules: readonly string[] | undefined, repeats: number | undefined): Task {
  if (rules === undefined) return task
  const { scoring } = task
  const samples = repeats ?? task.config.repeats
  if (scoring.process_results !== undefined || !isTextAnswer(scoring.output_type))
    throw new PipelineError(
      'usage',
      `${option('reduce')}: task ${task.name} has no metrics of single samples, because ${
        scoring.process_results === undefined ? 'it compares likelihoods' : 'its process_results gets all samples'
      }. Leave the task out.`,
    )
  refuseFewSamples(task.name, rules, samples)
  const ownPipelines = scoring.config.filter_list as readonly Pipeline[] | undefined
  const pipelines = ownPipelines ?? [{ name: 'none', filter: [{ function: 'take_first' }] }]
  const list = pipelines.map(({ name, filter }) => ({ name, filter: keepSamples(filter, samples) }))
  const metrics = readMetrics(scoring.config, scoring.output_type).flatMap(({ metric, name, after, entry }) =>
    rules.map(rule => ({
      ...without(entry, 'samples', 'after'),
      name: `${name ?? metric}_${rule}`,
      after: after ?? pipelines.map(pipeline => pipeline.name),
      samples: readRule(rule),
    })),
  )
  const config = { ...scoring.config, filter_list: list, metric_list: metrics }
  return { ...task, scoring: { ...scoring, config } }
}

/** The rules are options, so that the options are named, and no line of the task's file. */
function refuseFewSamples(task: string, rules: readonly string[], samples: number): void {
  const needed = Math.max(0, ...rules.map(rule => Number(/^pass@(\d+)$/.exec(rule)?.[1] ?? 0)))
  if (needed <= samples) return
  throw new PipelineError(
    'usage',
    `${option('reduce')}: pass@${needed} needs ${needed} samples of a doc, and ${
      samples === 1 ? '1 is' : `${samples} are`
    } requested for task ${task}. Give ${option('repeats', needed)}`,
  )
}

function keepSamples(filter: readonly JsonObject[], samples: number): readonly JsonObject[] {
  const rest = filter.filter(({ function: name }) => typeof name !== 'string' || !choosing.has(name))
  // A pipeline has at least one filter, and this one changes nothing.
  return rest.length > 0 ? rest : [{ function: 'take_first_k', k: samples }]
}

function readRule(rule: string): Json {
  const [, k] = /^pass@(\d+)$/.exec(rule) ?? []
  return k === undefined ? rule : { pass_at: Number(k) }
}

/** Says which metrics of tasks vote over whole texts, because they read nothing out of them. */
export async function describeWholeVotes(
  tasks: readonly Task[],
  rules: readonly string[] | undefined,
): Promise<readonly string[]> {
  if (rules?.includes('majority') !== true) return []
  const voting = tasks.map(({ name, scoring }) => ({
    name,
    entries: readMetrics(scoring.config, scoring.output_type).filter(({ entry }) => entry['samples'] === 'majority'),
  }))
  const names = voting.flatMap(({ entries }) => entries.map(({ metric }) => metric))
  const { metrics } = await loadJudges({ metrics: names, filters: [], aggregations: [] })
  return voting.flatMap(({ name, entries }) => {
    const whole = entries.filter(({ metric }) => metrics.get(metric)?.readAnswer === undefined)
    const list = whole.map(({ name: own, metric }) => own ?? metric).join(', ')
    return whole.length === 0
      ? []
      : `${name}: ${list} ${whole.length === 1 ? 'votes' : 'vote'} over the whole texts that the filters leave, and sentences rarely agree. A filter such as regex reads the answer out of them (docs/tasks/filters.md#votes)`
  })
}
