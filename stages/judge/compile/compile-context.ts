/** The context that all parts of compiling a task's scoring share: the path of an error in the configuration, and its message. */
import { schemaMistakes } from '../../../base/errors/schema-mistakes.js'
import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import { ownValue } from '../../../base/values/named-values.js'
import { nearest } from '../../../base/text/suggest.js'
import { unwrapLimited, callWatched } from '../../../base/time/time-limit.js'
import { findPythonFunction } from '../../../cache/code/python/python-function.js'
import { pythonSummary } from '../python/python-scoring.js'
import { bare, type AggregationDefinition, type Fold, type Summary } from '../define/define-aggregation.js'
import type { FilterDefinition } from '../define/define-filter.js'
import type { MetricDefinition } from '../define/define-metric.js'
import { isAggregation, unknownName, type JudgeRegistry } from './registry.js'
import type { AggregationFunction, ConfigPath, ScoringSpec, TaskFunction } from './scoring-spec.js'

export interface Context {
  readonly spec: ScoringSpec
  readonly registry: JudgeRegistry
  readonly report: (path: ConfigPath, message: string) => void
}

export function formatConfigPath({ task, locate }: ScoringSpec, path: ConfigPath): string {
  const dotted = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return locate === undefined ? `task ${task}, ${dotted.slice(1)}` : `${locate(path)}  ${dotted.slice(1)}`
}

export const convertIssuePath = ({ path }: { readonly path: readonly PropertyKey[] }): ConfigPath =>
  path.map(step => (typeof step === 'symbol' ? String(step) : step))

export function parseArguments(
  { id, args }: Pick<MetricDefinition | FilterDefinition, 'id' | 'args'>,
  values: unknown,
  { path, context }: { readonly path: ConfigPath; readonly context: Context },
): { readonly value: unknown } | undefined {
  const parsed = args.safeParse(values, { reportInput: true })
  if (parsed.success) return { value: parsed.data }
  const argumentNames = args instanceof z.ZodObject ? Object.keys(args.shape) : []
  for (const { path: inner, text, isUnknownKey } of schemaMistakes(parsed.error.issues, values)) {
    const at = [...path, ...convertIssuePath({ path: inner })]
    if (!isUnknownKey) context.report(at, text)
    else context.report(at, unknownArgument(id, String(inner.at(-1)), argumentNames))
  }
  return undefined
}

function unknownArgument(id: string, key: string, argumentNames: readonly string[]): string {
  const meant = nearest(key, argumentNames)
  const hint = meant === undefined ? `It knows: ${argumentNames.join(', ') || 'none'}.` : `Did you mean "${meant}"?`
  return `${id} has no argument "${key}". ${hint}`
}

export function reportDuplicates(names: readonly string[], field: string, { report }: Context): void {
  names.forEach((name, i) => {
    if (names.indexOf(name) < i) report([field, i], `"${name}" is listed twice`)
  })
}

/** The name in a function reference, such as `score` of `!function utils.score`. */
export const shortName = (reference: string): string => reference.replace(/^!function\s+/, '').replace(/^.*\./, '')

/** The definition of a task's function, if one of the library's `define…` functions made it. */
export function definitionIn<Definition>(
  taskFunction: TaskFunction | undefined,
  isDefinition: (value: unknown) => value is Definition,
): Definition | undefined {
  if (taskFunction === undefined) return undefined
  const original: unknown = unwrapLimited(taskFunction as Parameters<typeof unwrapLimited>[0])
  return isDefinition(original) ? original : undefined
}

/** An aggregation that is bound to its arguments. */
export type CompiledAggregation =
  | Exclude<AggregationDefinition, { readonly of: 'folded' }>
  | {
      readonly id: string
      /** Computed in another process, before the aggregates are read. */
      readonly of: 'later'
      readonly summarise: (values: readonly Json[], files?: string) => Promise<Summary>
    }
  | { readonly id: string; readonly of: 'folded'; readonly start: () => Fold }

/**
 * Finds an aggregation by name and parses its arguments from the metric's entry. Errors are reported, and the
 * result is then undefined.
 */
export function compileAggregation(
  reference: string,
  rest: Readonly<Record<string, unknown>>,
  { path, context }: { readonly path: ConfigPath; readonly context: Context },
): CompiledAggregation | undefined {
  const { spec, registry, report } = context
  const own = ownValue(spec.functions, reference)
  const defined = definitionIn(own, isAggregation)
  if (own !== undefined && defined === undefined) {
    const python = findPythonFunction(own)
    if (python !== undefined)
      return {
        id: shortName(reference),
        of: 'later',
        summarise: (values, files) =>
          pythonSummary(python, values, { ...registry, files, note: spec.note, ask: spec.ask, media: spec.media }),
      }
    // The original function runs without a time limit, since its time grows with the number of docs.
    const aggregate = unwrapLimited(own as Parameters<typeof unwrapLimited>[0]) as AggregationFunction
    return {
      id: shortName(reference),
      of: 'values',
      summarise: values =>
        bare(finite(callWatched(`${reference} (task ${spec.task})`, () => aggregate(values, likeness(spec))))),
    }
  }
  const definition = defined ?? registry.aggregations.get(reference)
  if (definition === undefined) {
    report([...path, 'aggregation'], unknownName('aggregation', reference, registry.names.aggregations))
    return undefined
  }
  if (definition.of === 'numbers')
    return {
      ...definition,
      summarise: (values, _parity, range) => definition.summarise(values, spec.parity, range),
      ...(definition.summariseClustered && {
        summariseClustered: (values, clusters, range) =>
          definition.summariseClustered?.(values, clusters, range, spec.parity),
      }),
    }
  if (definition.of === 'values')
    return { ...definition, summarise: (values: readonly Json[]) => definition.summarise(values, spec.parity) }
  const args = parseArguments(definition, rest, { path, context })
  return args && { id: definition.id, of: 'folded', start: () => definition.start(args.value, spec.parity) }
}

const likeness = ({ parity }: ScoringSpec): Pick<ScoringSpec, 'parity'> => (parity === undefined ? {} : { parity })

function finite(value: unknown): number | null {
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value
  throw new Error(`it gives ${typeof value === 'number' ? value : typeof value}, which is no finite number`)
}
