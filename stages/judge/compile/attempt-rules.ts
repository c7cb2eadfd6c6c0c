import { isList, isObject } from '../../../base/values/canonical-json.js'
import { attemptsKey } from '../../../cache/facts/attempt-facts.js'
import type { AttemptFact, JsonObject } from '../../../cache/records.js'
import type { MetricDefinition } from '../define/define-metric.js'

/**
 * Lists the facts of attempts that a task's scores depend on: those that its metrics read, and those that `score_attempts` lists for its own code.
 *
 * @param metrics the definitions of the metrics that the rules name
 */
export function findAttemptFacts(
  { metric_list: entries, [attemptsKey]: own }: JsonObject,
  metrics: ReadonlyMap<string, MetricDefinition>,
): readonly AttemptFact[] {
  const facts = new Set<AttemptFact>()
  for (const fact of isList(own) ? own : []) if (fact === 'latency' || fact === 'cost') facts.add(fact)
  for (const entry of isList(entries) ? entries : []) {
    const metric = isObject(entry) ? entry['metric'] : undefined
    const fact = typeof metric === 'string' ? metrics.get(metric)?.readsAttempt : undefined
    if (fact !== undefined) facts.add(fact)
  }
  return [...facts].sort()
}
