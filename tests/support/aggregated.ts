import type { Json } from '../../base/values/canonical-json.js'
import type { AggregationDefinition } from '../../stages/judge/define/define-aggregation.js'
import { builtInJudges } from './scorer.js'

/** Returns what an aggregation, given by name or as a value, computes from values. */
export function aggregated(
  aggregation: string | AggregationDefinition,
  values: readonly Json[],
  args: object = {},
): number | null {
  const definition = typeof aggregation === 'string' ? builtInJudges.aggregations.get(aggregation) : aggregation
  if (definition === undefined) throw new Error('there is no such aggregation')
  if (definition.of === 'values') return definition.summarise(values).value
  if (definition.of === 'numbers') return definition.summarise(Float64Array.from(values as readonly number[])).value
  const fold = definition.start(definition.args.parse(args))
  for (const value of values) fold.add(value)
  return fold.finish().value
}
