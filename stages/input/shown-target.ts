import { isList, type Json } from '../../base/values/canonical-json.js'
import type { Input, JudgeRecord } from '../../cache/records.js'

/**
 * Returns the target for a model that answers with targets: the text of the doc's first target, or whether a continuation is a target. Undefined for
 * a doc without a readable target.
 *
 * @param choice the index of the continuation
 */
export function readShownTarget(
  { target, printed, choices }: Pick<JudgeRecord, 'target' | 'printed' | 'choices'>,
  choice: number | undefined,
): Pick<Input, 'target'> {
  const targets = isList(target) ? target : [target]
  const [first] = targets
  const isIndex = typeof first === 'number' && choices !== undefined
  if (choice === undefined) {
    const text = isIndex ? choices[first] : (printed?.target?.[0] ?? printTarget(first))
    return text === undefined || text === '' ? {} : { target: text }
  }
  if (first === undefined || first === null || first === '') return {}
  // A task of a single continuation compares the likelihood of the target itself.
  if (choices === undefined) return { target: true }
  return { target: targets.some(targetValue => targetValue === choice || targetValue === choices[choice]) }
}

const printTarget = (target: Json | undefined): string | undefined =>
  typeof target === 'string'
    ? target
    : typeof target === 'number' || typeof target === 'boolean'
      ? String(target)
      : undefined
