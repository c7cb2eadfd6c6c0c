import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { without } from '../../../base/values/without.js'
import type { JsonObject } from '../../../cache/records.js'
import { isTextAnswer, readMetrics } from '../../../stages/judge/compile/metric-entries.js'
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
  const isVoted = rules.includes('majority')
  const nameVote = (name: string): string => (pipelines.length === 1 ? 'majority' : `${name}_majority`)
  const samplePipelines = pipelines.map(({ name, filter }) => ({ name, filter: keepSamples(filter, samples) }))
  const votePipelines = samplePipelines.map(({ name, filter }) => ({
    name: nameVote(name),
    filter: [...filter, { function: 'majority_vote' }],
  }))
  const metrics = readMetrics(scoring.config, scoring.output_type).flatMap(({ metric, name, after, entry }) => {
    const names = after ?? pipelines.map(pipeline => pipeline.name)
    return rules.map(rule => ({
      ...without(entry, 'samples', 'after'),
      name: `${name ?? metric}_${rule}`,
      ...(rule === 'majority' ? { after: names.map(nameVote) } : { after: [...names], samples: readRule(rule) }),
    }))
  })
  const list = [...(rules.some(rule => rule !== 'majority') ? samplePipelines : []), ...(isVoted ? votePipelines : [])]
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
