/** What the arguments of evaluate's metrics are called here. */
import { ownValue } from '../../../../base/named-values.js'
const ownNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sacrebleu: { use_effective_order: 'effective_order' },
  ter: { ignore_punct: 'no_punct', support_zh_ja_chars: 'asian_support' },
  rouge: { rouge_types: 'variant' },
}

/** Those that change no number here: how results are handed over, and warnings. */
const withoutMeaning: Readonly<Record<string, readonly string[]>> = {
  accuracy: ['normalize'],
  sacrebleu: ['force'],
  rouge: ['use_aggregator'],
  wer: ['concatenate_texts'],
  cer: ['concatenate_texts'],
}

/** Arguments as evaluate's `compute` takes them, by the names that they have here. An entry gives one number, so of a list of one its item is meant. */
export function argumentsOfEvaluate(
  metric: string,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = ownValue(ownNames, metric) ?? {}
  const ignored = ownValue(withoutMeaning, metric) ?? []
  const entries = Object.entries(given).filter(([name]) => !ignored.includes(name))
  return Object.fromEntries(
    entries.map(([name, value]) => [ownValue(names, name) ?? name, name === 'rouge_types' ? onlyItem(value) : value]),
  )
}

const onlyItem = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value
