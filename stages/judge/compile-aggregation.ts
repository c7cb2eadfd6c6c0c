import { ownValue } from '../../base/named-values.js'
import type { Json } from '../../base/canonical-json.js'
import { originalOf, watched } from '../../base/time-limit.js'
import { parseArguments, shortName, type Context } from './compile-context.js'
import { bare, type AggregationDefinition, type Fold } from './define-aggregation.js'
import { unknownName } from './registry.js'
import type { AggregationFunction, ConfigPath, ScoringSpec } from './scoring-spec.js'

/** An aggregation whose arguments are known. */
export type CompiledAggregation =
  | Exclude<AggregationDefinition, { readonly of: 'folded' }>
  | { readonly id: string; readonly of: 'folded'; readonly start: () => Fold }

/** An aggregation by its name, with what it reads of the metric's entry; undefined where that is wrong, which is reported. */
export function compileAggregation(
  reference: string,
  rest: Readonly<Record<string, unknown>>,
  { path, context }: { readonly path: ConfigPath; readonly context: Context },
): CompiledAggregation | undefined {
  const { spec, registry, report } = context
  const own = ownValue(spec.functions, reference)
  if (own !== undefined) {
    // It goes through all docs, which takes as long as it takes.
    const aggregate = originalOf(own as Parameters<typeof originalOf>[0]) as AggregationFunction
    return {
      id: shortName(reference),
      of: 'values',
      summarise: values =>
        bare(finite(watched(`${reference} (task ${spec.task})`, () => aggregate(values, likeness(spec))))),
    }
  }
  const known = registry.aggregations.get(reference)
  if (known === undefined) {
    report([...path, 'aggregation'], unknownName('aggregation', reference, registry.names.aggregations))
    return undefined
  }
  if (known.of === 'numbers')
    return { ...known, summarise: (values, _parity, range) => known.summarise(values, spec.parity, range) }
  if (known.of === 'values')
    return { ...known, summarise: (values: readonly Json[]) => known.summarise(values, spec.parity) }
  const args = parseArguments(known, rest, { path, context })
  return args && { id: known.id, of: 'folded', start: () => known.start(args.value, spec.parity) }
}

const likeness = ({ parity }: ScoringSpec): Pick<ScoringSpec, 'parity'> => (parity === undefined ? {} : { parity })

function finite(value: unknown): number | null {
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value
  throw new Error(`it gives ${typeof value === 'number' ? value : typeof value}, which is no finite number`)
}
