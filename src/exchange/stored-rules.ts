import { isList, isObject, type Json } from '../../base/values/canonical-json.js'
import type { JsonObject, StoredScoring } from '../../cache/records.js'
import type { ForeignTask } from './foreign-log.js'

/**
 * Returns the scoring rules in a logged configuration of lmms-eval or lm-eval, if they need no code of the task. With them, `pipeline judge RUN`
 * scores the answers again without the task's files.
 */
export function storedRules({ config }: ForeignTask): StoredScoring | undefined {
  const metrics = config?.['metric_list']
  if (config === undefined || !isList(metrics) || config['process_results'] != null) return undefined
  const rules: Record<string, Json> = { metric_list: metrics }
  if (isList(config['filter_list'])) rules['filter_list'] = config['filter_list']
  if (typeof config['score_key'] === 'string') rules['score_key'] = config['score_key']
  if (namesFunction(rules)) return undefined
  const output = config['output_type']
  return { output_type: typeof output === 'string' ? output : 'generate_until', config: rules }
}

/** These tools log a function of Python as `<function name>`, or as its source. */
function namesFunction(value: Json | JsonObject): boolean {
  if (typeof value === 'string') return /^<function |^def |^!function /.test(value)
  if (isList(value)) return value.some(namesFunction)
  return isObject(value) && Object.values(value).some(inner => inner !== undefined && namesFunction(inner))
}
