/** Finds rules that need more samples of a doc than the task requests, so that no request is sent for them. */
import { ownValue } from '../../../base/values/named-values.js'
import { filters } from '../filters/index.js'
import type { Context } from './compile-context.js'
import { givesLogprobs, type FilterEntry, type MetricEntry } from './scoring-spec.js'

interface Pipeline {
  readonly name: string
  readonly filter: readonly FilterEntry[]
}

/**
 * Reports each metric, aggregation and filter that needs more samples than reach it. A filter of the task's own may
 * return any number, so nothing is reported behind it.
 */
export function reportMissingSamples(
  entries: readonly MetricEntry[],
  pipelines: readonly Pipeline[],
  context: Context,
): void {
  const { spec, report } = context
  const { repeats } = spec
  if (repeats === undefined) return
  const sampleCount = givesLogprobs(spec.outputType) ? 1 : repeats
  const counts = pipelines.map((pipeline, at) => samplesAfter(pipeline, sampleCount, { at, context }))
  for (const [i, entry] of entries.entries()) {
    const needed = typeof entry.samples === 'object' ? entry.samples.pass_at : 1
    const short = pipelines.find(
      (pipeline, at) => (entry.after?.includes(pipeline.name) ?? true) && (counts[at] ?? Infinity) < needed,
    )
    if (short !== undefined && spec.processResults === undefined)
      report(
        ['metric_list', i, 'samples'],
        shortage(needed, sampleCount, { name: short.name, isDefault: spec.config.filter_list === undefined }),
      )
    const { k } = entry
    if (
      entry.aggregation === 'pass_at_k' &&
      typeof k === 'number' &&
      k > sampleCount &&
      spec.outputType === 'generate_until'
    )
      report(
        ['metric_list', i, 'k'],
        `pass_at_k needs ${k} samples of a doc, and ${formatRequestCount(sampleCount)}. ${setRepeats(k)}`,
      )
  }
}

/** The number of samples that a pipeline leaves; undefined if it cannot be known. */
function samplesAfter(
  { filter }: Pipeline,
  sampleCount: number,
  { at, context: { spec, report } }: { readonly at: number; readonly context: Context },
): number | undefined {
  let count = sampleCount
  for (const [i, { function: name, ...args }] of filter.entries()) {
    if (ownValue(spec.functions, name) !== undefined || !(name in filters)) return undefined
    const { k } = args
    if (name === 'take_first' || name === 'majority_vote') count = 1
    if (name !== 'take_first_k' || typeof k !== 'number') continue
    if (k > count)
      report(
        ['filter_list', at, 'filter', i, 'k'],
        `take_first_k needs ${k} samples of a doc, and ${count === sampleCount ? formatRequestCount(sampleCount) : `the filters before it leave ${count}`}. ${setRepeats(k)}`,
      )
    count = Math.min(count, k)
  }
  return count
}

const formatRequestCount = (sampleCount: number): string =>
  sampleCount === 1 ? '1 is requested' : `${sampleCount} are requested`
const setRepeats = (k: number): string => `Set \`repeats: ${k}\``

function shortage(
  needed: number,
  sampleCount: number,
  { name, isDefault }: { readonly name: string; readonly isDefault: boolean },
): string {
  const what = `pass_at: ${needed} needs ${needed} samples of a doc, and`
  if (sampleCount < needed)
    return `${what} ${formatRequestCount(sampleCount)}. ${setRepeats(needed)}${isDefault ? `, and ${keepAll}` : ''}`
  return isDefault
    ? `${what} a task without filter_list keeps the first alone. ${keepAll.replace('give', 'Give')}`
    : `${what} the filters of "${name}" leave fewer. Take take_first, take_first_k or majority_vote out of them, or name other filters in \`after\``
}

const keepAll =
  'give a filter_list that keeps all samples, such as `filter_list: [{name: all, filter: [{function: strip}]}]`'
