/** Translates the arguments of evaluate's metrics to the names that they have here. */
import { isObject, type Json } from '../../../../base/values/canonical-json.js'
import { ownValue } from '../../../../base/values/named-values.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { MetricDefinition, Verdict } from '../../define/define-metric.js'

const ownNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sacrebleu: { use_effective_order: 'effective_order' },
  ter: { ignore_punct: 'no_punct', support_zh_ja_chars: 'asian_support' },
  rouge: { rouge_types: 'variant' },
}

/** Arguments that change no number here: those on how results are returned, and on warnings. */
const withoutMeaning: Readonly<Record<string, readonly string[]>> = {
  accuracy: ['normalize'],
  sacrebleu: ['force'],
  rouge: ['use_aggregator'],
  wer: ['concatenate_texts'],
  cer: ['concatenate_texts'],
}

/**
 * Translates arguments of evaluate's `compute`. An entry computes a single number, so a list of one item stands for
 * the item.
 */
export function argumentsOfEvaluate(
  metric: string,
  entry: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = ownValue(ownNames, metric) ?? {}
  const ignored = ownValue(withoutMeaning, metric) ?? []
  const entries = Object.entries(entry).filter(([name]) => !ignored.includes(name))
  return Object.fromEntries(
    entries.map(([name, value]) => [ownValue(names, name) ?? name, name === 'rouge_types' ? onlyItem(value) : value]),
  )
}

const onlyItem = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value

/**
 * A metric whose values are a doc's own number, for aggregations of numbers. If the metric returns counts, it is
 * the number that `compute` returns for that doc.
 */
export const withOwnNumber = (metric: MetricDefinition): MetricDefinition => ({
  ...metric,
  judge: async (input, args) => reduceVerdict(await metric.judge(input, args)),
})

const reduceVerdict = (verdict: Verdict): Verdict =>
  verdict.type === 'judge_failed' ? verdict : { ...verdict, value: ownNumber(verdict.value) }

function ownNumber(value: Json): Json {
  const { score, rate } = numbers(value)
  return score ?? rate ?? value
}

const numbers = (value: Json): JsonObject => (isObject(value) ? value : {})
