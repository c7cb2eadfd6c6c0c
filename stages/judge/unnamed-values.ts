import { ownValue } from '../../base/values/named-values.js'
import type { Json } from '../../base/values/canonical-json.js'
import { didYouMean } from '../../base/text/suggest.js'
import type { Verdict } from './define/define-metric.js'

/**
 * What `process_results` gives beside the metrics of `metric_list`, as functions of lmms-eval do that serve several tasks.
 * Such a value is in no number, which `note` is told.
 *
 * @throws Error where a name is a slip of one that has no value, or none of the metrics has one.
 */
export function leaveUnnamed(
  said: Readonly<Record<string, Json | Verdict | undefined>>,
  names: readonly string[],
  note: ((text: string) => void) | undefined,
): void {
  const absent = names.filter(name => ownValue(said, name) === undefined)
  for (const key of Object.keys(said).filter(key => !names.includes(key))) {
    const unnamed = `process_results gives "${key}", which metric_list does not name`
    const meant = didYouMean(key, absent)
    if (meant !== '' || absent.length === names.length) throw new Error(`${unnamed}.${meant}`)
    note?.(`${unnamed}: it is in no number`)
  }
}
