import { type GrowingColumn, growingColumn } from '../../../../base/collections/growing-column.js'
import { largestRecordLimit } from '../../../../base/files/record-limit.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import { itemsOfFile } from '../../../../stages/input/datasets/json/json-items.js'
import type { ReportedScore } from '../../foreign-log.js'
import { fieldsIn, listIn, nameIn, numberIn, parseFieldsFast } from '../loose-values.js'

/** Statistics of a run that do not measure the quality of answers. */
const bookkeeping =
  /^(num_.*|finish_reason_.*|training_.*|inference_.*|batch_size|prompt_truncated|max_prob|logprob|.*_per_byte|perplexity|bits_per_byte)$/

/** Reads the mean of each metric in `stats.json` over unperturbed docs. HELM also aggregates perturbed ones. */
export async function reportedStats(file: string): Promise<readonly ReportedScore[]> {
  const byMetric = new Map<string, (readonly [split: string | undefined, value: number])[]>()
  for await (const { text, line } of itemsOfFile(file, largestRecordLimit)) {
    const stat = parseFieldsFast(text, () => `${shownPath(file)}:${line}`)
    const name = fieldsIn(stat['name'])
    const metric = nameIn(name?.['name'])
    const value = numberIn(stat['mean'])
    if (metric === undefined || value === undefined || bookkeeping.test(metric)) continue
    if (name?.['perturbation'] !== undefined || name?.['sub_split'] !== undefined) continue
    byMetric.set(metric, [...(byMetric.get(metric) ?? []), [nameIn(name?.['split']), value]])
  }
  // HELM has no mean over several splits.
  return [...byMetric].flatMap(([metric, [first, ...more]]) =>
    first === undefined || more.length > 0 ? [] : [{ metric, value: first[1] }],
  )
}

/** The statistics of the samples. A column of numbers for each statistic takes little memory. */
export interface SampleStats {
  /** Returns the statistics of a sample by their names, with those that do not measure quality in `counts`. */
  of(key: string): {
    readonly scores: Readonly<Record<string, number>>
    readonly counts: Readonly<Record<string, number>>
  }
}

/** Identifies a sample of a run, by its instance, perturbation and training set. */
export const sampleKey = (id: string, perturbation: Json | undefined, trial: number): string => {
  const { name, seed } = fieldsIn(perturbation) ?? {}
  return JSON.stringify([id, name, seed, trial])
}

/** Counts of tokens, which samples state as the usage of their requests. */
const counted = new Set(['num_prompt_tokens', 'num_output_tokens'])

/** Reads the statistics of each sample from a HELM file. */
export async function readSampleStats(file: string): Promise<SampleStats> {
  const rows = new Map<string, number>()
  const columns = new Map<string, { readonly rows: GrowingColumn; readonly values: GrowingColumn }>()
  for await (const { text, line } of itemsOfFile(file, largestRecordLimit)) {
    const item = parseFieldsFast(text, () => `${shownPath(file)}:${line}`)
    const key = sampleKey(
      nameIn(item['instance_id']) ?? '',
      item['perturbation'],
      numberIn(item['train_trial_index']) ?? 0,
    )
    const row = rows.get(key) ?? rows.size
    rows.set(key, row)
    for (const entry of listIn(item['stats']) ?? []) {
      const stat = fieldsIn(entry)
      const name = nameIn(fieldsIn(stat?.['name'])?.['name'])
      const value = numberIn(stat?.['mean'])
      if (name === undefined || value === undefined || (bookkeeping.test(name) && !counted.has(name))) continue
      const column = columns.get(name) ?? { rows: growingColumn(), values: growingColumn() }
      columns.set(name, column)
      column.rows.push(row)
      column.values.push(value)
    }
  }
  const byRow = [...columns].map(([name, column]) => ({ name, values: inRows(column, rows.size) }))
  return {
    of(key) {
      const row = rows.get(key)
      const scores: Record<string, number> = {}
      const counts: Record<string, number> = {}
      for (const { name, values } of row === undefined ? [] : byRow) {
        const value = values[row ?? -1]
        if (value !== undefined && !Number.isNaN(value)) (counted.has(name) ? counts : scores)[name] = value
      }
      return { scores, counts }
    },
  }
}

function inRows(
  { rows, values }: { readonly rows: GrowingColumn; readonly values: GrowingColumn },
  count: number,
): Float64Array {
  const all = new Float64Array(count).fill(Number.NaN)
  for (let at = 0; at < rows.length; at++) all[rows.at(at)] = values.at(at)
  return all
}
