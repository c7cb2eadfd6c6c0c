/** Parts of a doc's score: extracted texts, checked values, and the outcome that follows from them. */
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { emptyTable } from '../../base/values/named-values.js'
import { wireNumber } from '../../cache/code/python/wire.js'
import type { JudgeRecord, ResponseBody, ScoreBody } from '../../cache/records.js'
import type { CompiledMetric } from './compile/compile-scoring.js'
import { argmax, choiceLogprobs } from './define/choice.js'
import type { Reading } from './define/define-filter.js'
import type { DocVerdicts, ValueVerdict } from './doc-verdicts.js'
import { type Verdict, unparsed } from './define/define-metric.js'

/** The texts unchanged, if a filter in Python left them in a list. */
export function listTexts(readings: readonly Reading[]): readonly string[] | undefined {
  const texts = readings.flatMap(reading =>
    reading.type === 'read' && reading.isListed === true ? [reading.text] : [],
  )
  return texts.length > 0 && texts.length === readings.length ? texts : undefined
}

/** The text of a reading, or its stand-in; null if it has neither. */
export const takeReadingText = (reading: Reading): string | null =>
  reading.type === 'read' ? reading.text : (reading.standIn ?? null)

/** The text of one sample, or a list of the texts of several. */
export function collectTexts(readings: readonly Reading[]): Json {
  const texts = readings.map(takeReadingText)
  return texts.length === 1 ? (texts[0] ?? null) : texts
}

/** The choice with the highest log-likelihood; null if the doc has no choices. */
export function findBestChoice(record: JudgeRecord, bodies: readonly ResponseBody[]): Json {
  if (record.choices === undefined) return null
  return record.choices[argmax(choiceLogprobs({ bodies, record }))] ?? null
}

/** An unparsed answer gets the metric's worst value, unless the benchmark defines a stand-in. */
export function valueOfUnread(
  reading: Reading | undefined,
  { range, higherIsBetter }: CompiledMetric,
): Verdict | undefined {
  if (reading?.type !== 'unparsed' || reading.standIn !== undefined || range === undefined) return undefined
  return unparsed(reading.reason, higherIsBetter ? range[0] : range[1])
}

/** Marks a verdict as unparsed if the reading is. */
export function markUnread(verdict: Verdict, reading: Reading | undefined): Verdict {
  return reading?.type === 'unparsed' && verdict.type === 'scored'
    ? unparsed(reading.reason, verdict.value, verdict.details)
    : verdict
}

/** Makes a plain value a verdict. */
export function asVerdict(value: Verdict | Json): Verdict {
  return isVerdict(value) ? value : { type: 'scored', value }
}

/** Tells a verdict from a plain value. */
export function isVerdict(value: Verdict | Json): value is Verdict {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  if (value.type === 'judge_failed') return 'reason' in value
  return 'value' in value && (value.type === 'scored' || (value.type === 'unparsed' && 'reason' in value))
}

/** Rejects a value that the aggregation can't take, so that the error names the doc. */
export function checkVerdict(verdict: Verdict, { aggregation }: CompiledMetric): Verdict {
  if (verdict.type === 'judge_failed') return verdict
  if (typeof verdict.value === 'boolean') return { ...verdict, value: verdict.value ? 1 : 0 }
  if (aggregation.of !== 'numbers') {
    canonicalJson(verdict.value)
    return verdict
  }
  if (typeof verdict.value === 'number' && Number.isFinite(verdict.value)) return verdict
  const value = wireNumber(verdict.value) ?? JSON.stringify(verdict.value)
  throw new Error(`the value is ${value}, and the aggregation ${aggregation.id} takes finite numbers`)
}

/** Makes the outcome and values of a score from its verdicts. A value that failed is left out, and the others keep theirs. */
export function makeScoreBody({
  all,
  hasAbstained,
}: Pick<DocVerdicts, 'all' | 'hasAbstained'>): Pick<
  ScoreBody,
  'outcome' | 'values' | 'reason' | 'unparsed' | 'failed'
> {
  const values = emptyTable<Json>()
  const failed = emptyTable<string>()
  const missed: string[] = []
  let failure: Exclude<ValueVerdict, { readonly value: Json }> | undefined
  let reason: string | undefined
  for (const [name, verdict] of all) {
    if (!('value' in verdict)) {
      failure ??= verdict
      failed[name] = verdict.type === 'error' ? verdict.own : verdict.reason
      continue
    }
    values[name] = verdict.value
    if (verdict.type !== 'unparsed') continue
    missed.push(name)
    reason ??= verdict.reason
  }
  if (failure !== undefined) {
    const isPartial = hasAbstained || Object.keys(values).length > 0
    return {
      ...{ outcome: failure.type, values, reason: failure.reason },
      failed: isPartial ? failed : undefined,
      unparsed: missed.length > 0 ? missed : undefined,
    }
  }
  if (reason === undefined) return { outcome: 'scored', values }
  return { outcome: 'unparsed', values, reason, unparsed: missed.length < all.size ? missed : undefined }
}
