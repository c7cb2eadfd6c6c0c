import { ownValue } from '../../base/values/named-values.js'
import type { Json } from '../../base/values/canonical-json.js'
import { didYouMean } from '../../base/text/suggest.js'
import type { ScoringSpec } from './compile/scoring-spec.js'
import type { Verdict } from './define/define-metric.js'

/**
 * Checks the values of `process_results` that `metric_list` does not name. Functions of lmms-eval that serve
 * several tasks return such values. They are in no aggregate, and `note` is called with their names.
 *
 * @throws Error if no metric has a value, or if a name looks like a misspelt metric that has none and the task refuses
 *   such names.
 */
export function leaveUnnamed(
  values: Readonly<Record<string, Json | Verdict | undefined>>,
  names: readonly string[],
  { note, refusesMisspelt = true }: Pick<ScoringSpec, 'note' | 'refusesMisspelt'>,
): void {
  const absent = names.filter(name => ownValue(values, name) === undefined)
  for (const key of Object.keys(values).filter(key => !names.includes(key))) {
    const unnamed = `process_results gives "${key}", which metric_list does not name`
    const meant = refusesMisspelt ? didYouMean(key, absent) : ''
    if (meant !== '' || absent.length === names.length) throw new Error(`${unnamed}.${meant}`)
    note?.(`${unnamed}: it is in no number`)
  }
}
