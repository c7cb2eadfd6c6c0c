import { isObject, type Json } from '../../../base/values/canonical-json.js'
import type { Aggregate } from '../../../cache/records.js'
import type { Sample } from '../../../cache/store.js'

/** Reads a judge's values for a doc: its vote in a panel, else the value of each metric that uses the judge. Undefined if there are none. */
export function readVerdict(
  { score }: Sample,
  { judge, aggregates = [] }: { readonly judge: string; readonly aggregates?: readonly Aggregate[] | undefined },
): Readonly<Record<string, Json>> | undefined {
  if (score === undefined) return undefined
  const metrics = new Set(aggregates.flatMap(({ metric, judges = [] }) => (judges.includes(judge) ? [metric] : [])))
  const values = Object.entries(score.values).flatMap(([name, value]): (readonly [string, Json])[] => {
    const [metric = name] = name.split(',')
    if (!metrics.has(metric)) return []
    return [[name, readOwnValue(score.extracted[name], judge) ?? value]]
  })
  return values.length === 0 ? undefined : Object.fromEntries(values)
}

/** The value of one judge of a panel, as the metric's details list them. */
function readOwnValue(details: Json | undefined, judge: string): Json | undefined {
  if (!isObject(details)) return undefined
  const { judges } = details as { readonly judges?: Json }
  if (!Array.isArray(judges)) return undefined
  const own = (judges as readonly Json[]).find(entry => isObject(entry) && (entry as { judge?: Json }).judge === judge)
  return isObject(own) ? (own as { value?: Json }).value : undefined
}
