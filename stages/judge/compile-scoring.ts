/** From a task's configuration to functions; all that is wrong with it is said at once, before any work starts. */
import { z } from 'zod'
import type { Json } from '../../base/canonical-json.js'
import { PipelineError } from '../../base/errors.js'
import { nearest } from '../../base/suggest.js'
import type { JsonObject, JudgeRecord } from '../../cache/records.js'
import { bare, type AggregationDefinition, type Fold } from './define-aggregation.js'
import { read, type FilterDefinition, type Reading } from './define-filter.js'
import type { MetricDefinition, MetricInput, Verdict } from './define-metric.js'
import type { SampleRule } from './over-samples.js'
import { unknownName, type JudgeRegistry } from './registry.js'
import {
  defaultMetrics,
  givesLogprobs,
  scoringConfig,
  type AggregationFunction,
  type ConfigPath,
  type FilterEntry,
  type FilterFunction,
  type MetricEntry,
  type MetricFunction,
  type ScoringConfig,
  type ScoringSpec,
} from './scoring-spec.js'

/** A sequence of filters; `none` where the task names none. */
export interface Pipeline {
  readonly name: string
  apply(readings: readonly Reading[], record: JudgeRecord): readonly Reading[]
}

export interface CompiledMetric {
  readonly name: string
  readonly higherIsBetter: boolean
  readonly range?: readonly [number, number]
  readonly aggregation: CompiledAggregation
  readonly samples?: SampleRule
  /** Absent where `process_results` gives the values. */
  readonly judge?: (input: MetricInput) => Verdict | Json | Promise<Verdict | Json>
}

/** An aggregation whose arguments are known. */
export type CompiledAggregation =
  | Exclude<AggregationDefinition, { readonly of: 'folded' }>
  | { readonly id: string; readonly of: 'folded'; readonly start: () => Fold }

export interface CompiledScoring {
  readonly config: ScoringConfig
  readonly pipelines: readonly Pipeline[]
  readonly metrics: readonly CompiledMetric[]
}

/** @throws PipelineError with one line for each unknown name, wrong argument and misfit. */
export function compileScoring(spec: ScoringSpec, registry: JudgeRegistry): CompiledScoring {
  const problems: string[] = []
  const context: Context = {
    spec,
    registry,
    report: (path, message) => void problems.push(`${placeOf(spec, path)}: ${message}`),
  }
  const parsed = scoringConfig.safeParse(spec.config)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) context.report(pathOf(issue), issue.message)
    throw new PipelineError('config', problems)
  }
  const config = parsed.data
  const metrics = (config.metric_list ?? defaultMetrics(spec.outputType)).flatMap((entry, i) =>
    compileMetric(entry, ['metric_list', i], context),
  )
  reportDuplicates(
    metrics.map(metric => metric.name),
    'metric_list',
    context,
  )
  const list = config.filter_list ?? [{ name: 'none', filter: [{ function: 'take_first' }] }]
  const pipelines = list.map(({ name, filter }, i) => compilePipeline(name, filter, { at: i, context }))
  reportDuplicates(
    list.map(({ name }) => name),
    'filter_list',
    context,
  )
  // A metric and its aggregation may read the same argument, and would both say that it is wrong.
  if (problems.length > 0) throw new PipelineError('config', [...new Set(problems)])
  return { config, pipelines, metrics }
}

interface Context {
  readonly spec: ScoringSpec
  readonly registry: JudgeRegistry
  readonly report: (path: ConfigPath, message: string) => void
}

function placeOf({ task, locate }: ScoringSpec, path: ConfigPath): string {
  const dotted = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return locate === undefined ? `task ${task}, ${dotted.slice(1)}` : `${locate(path)}  ${dotted.slice(1)}`
}

const pathOf = (issue: z.core.$ZodIssue): ConfigPath =>
  issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))

function compileMetric(entry: MetricEntry, path: ConfigPath, context: Context): readonly CompiledMetric[] {
  const { metric: reference, name, aggregation, higher_is_better: higherIsBetter, samples, ...rest } = entry
  const { spec, registry, report } = context
  const own = spec.functions?.[reference]
  const known = own === undefined ? registry.metrics.get(reference) : undefined
  if (own === undefined && known === undefined && spec.processResults === undefined) {
    report([...path, 'metric'], unknownName('metric', reference, registry.names.metrics))
    return []
  }
  const aggregate = compileAggregation(aggregation ?? known?.aggregation ?? 'mean', rest, { path, context })
  if (aggregate === undefined) return []
  const common = {
    name: name ?? shortName(reference),
    higherIsBetter: higherIsBetter ?? known?.higherIsBetter ?? true,
    aggregation: aggregate,
    ...(samples !== undefined && { samples }),
  }
  if (spec.processResults !== undefined) return [{ ...common, ...(known?.range && { range: known.range }) }]
  if (own !== undefined) {
    const judge = own as MetricFunction
    return [{ ...common, judge: input => judge(input, rest as JsonObject) }]
  }
  return known === undefined ? [] : bindMetric(known, { common, rest, path, context })
}

function bindMetric(
  known: MetricDefinition,
  {
    common,
    rest,
    path,
    context,
  }: {
    readonly common: Pick<CompiledMetric, 'name' | 'higherIsBetter' | 'aggregation' | 'samples'>
    readonly rest: Readonly<Record<string, unknown>>
    readonly path: ConfigPath
    readonly context: Context
  },
): readonly CompiledMetric[] {
  const needed = known.reads ?? 'text'
  const given = givesLogprobs(context.spec.outputType) ? 'logprobs' : 'text'
  if (needed !== 'any' && needed !== given) {
    const reads = needed === 'text' ? 'texts' : 'log-likelihoods'
    context.report(path, `${known.id} judges ${reads}, which output_type ${context.spec.outputType} does not give`)
    return []
  }
  const args = parseArguments(known, rest, { path, context })
  if (args === undefined) return []
  const range = known.range === undefined ? {} : { range: known.range }
  return [{ ...common, ...range, judge: input => known.judge(input, args.value) }]
}

function compileAggregation(
  reference: string,
  rest: Readonly<Record<string, unknown>>,
  { path, context }: { readonly path: ConfigPath; readonly context: Context },
): CompiledAggregation | undefined {
  const { spec, registry, report } = context
  const own = spec.functions?.[reference]
  if (own !== undefined) {
    const aggregate = own as AggregationFunction
    return {
      id: shortName(reference),
      of: 'values',
      summarise: values => bare(finite(aggregate(values, likeness(spec)))),
    }
  }
  const known = registry.aggregations.get(reference)
  if (known === undefined) {
    report([...path, 'aggregation'], unknownName('aggregation', reference, registry.names.aggregations))
    return undefined
  }
  if (known.of === 'numbers')
    return { ...known, summarise: (values: Float64Array) => known.summarise(values, spec.parity) }
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

function compilePipeline(
  name: string,
  entries: readonly FilterEntry[],
  { at, context }: { readonly at: number; readonly context: Context },
): Pipeline {
  const filters = entries.flatMap((entry, i) => compileFilter(entry, ['filter_list', at, 'filter', i], context))
  return {
    name,
    apply: (readings, record) => filters.reduce((before, filter) => filter(before, record), readings),
  }
}

function compileFilter(entry: FilterEntry, path: ConfigPath, context: Context): readonly Pipeline['apply'][] {
  const { function: reference, ...rest } = entry
  const { spec, registry, report } = context
  const own = spec.functions?.[reference]
  if (own !== undefined) return [ownFilter(own as FilterFunction, rest as JsonObject)]
  const known = registry.filters.get(reference)
  if (known === undefined) {
    report([...path, 'function'], unknownName('filter', reference, registry.names.filters))
    return []
  }
  if (givesLogprobs(spec.outputType) && known.id !== 'take_first') {
    report(path, `${known.id} reads texts, which output_type ${spec.outputType} does not give`)
    return []
  }
  const args = parseArguments(known, rest, { path, context })
  return args === undefined ? [] : [(readings, record) => known.apply(readings, args.value, record)]
}

/** A task's own filter knows texts alone: it is not asked where one of them could not be read. */
const ownFilter =
  (filter: FilterFunction, args: JsonObject): Pipeline['apply'] =>
  (readings, record) => {
    const texts = readings.flatMap(reading => (reading.type === 'read' ? [reading.text] : []))
    return texts.length < readings.length ? readings : filter(texts, record.doc, args).map(read)
  }

function parseArguments(
  { id, args }: Pick<MetricDefinition | FilterDefinition, 'id' | 'args'>,
  given: unknown,
  { path, context }: { readonly path: ConfigPath; readonly context: Context },
): { readonly value: unknown } | undefined {
  const parsed = args.safeParse(given)
  if (parsed.success) return { value: parsed.data }
  const known = args instanceof z.ZodObject ? Object.keys(args.shape) : []
  for (const issue of parsed.error.issues) {
    if (issue.code !== 'unrecognized_keys') {
      context.report([...path, ...pathOf(issue)], issue.message)
      continue
    }
    for (const key of issue.keys) {
      const meant = nearest(key, known)
      const hint = meant === undefined ? `It knows: ${known.join(', ') || 'none'}.` : `Did you mean "${meant}"?`
      context.report([...path, key], `${id} has no argument "${key}". ${hint}`)
    }
  }
  return undefined
}

function reportDuplicates(names: readonly string[], field: string, { report }: Context): void {
  names.forEach((name, i) => {
    if (names.indexOf(name) < i) report([field, i], `"${name}" stands there twice`)
  })
}

/** `score` of `!function utils.score`. */
const shortName = (reference: string): string => reference.replace(/^!function\s+/, '').replace(/^.*\./, '')
