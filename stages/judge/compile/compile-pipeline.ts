import { givenText } from '../../../base/errors/given-text.js'
import { callLimited } from '../../../base/time/time-limit.js'
import { ownValue } from '../../../base/values/named-values.js'
import { findPythonFunction } from '../../../cache/code/python/python-function.js'
import type { JudgeRecord, JsonObject } from '../../../cache/records.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { type Reading, read } from '../define/define-filter.js'
import { pythonFilter } from '../python/python-scoring.js'
import { type Context, shortName, definitionIn, parseArguments } from './compile-context.js'
import { isFilter, unknownName } from './registry.js'
import { type FilterEntry, type ConfigPath, type FilterFunction, givesLogprobs } from './scoring-spec.js'

/** A sequence of filters. Its name is `none` if the task has no filters. */
export interface FilterPipeline {
  readonly name: string
  /** True if a filter may take long for some texts. */
  readonly needsTimeLimit: boolean
  /** A promise only if a filter runs in another process. */
  apply(readings: readonly Reading[], record: JudgeRecord): Filtered
}

type Filtered = readonly Reading[] | Promise<readonly Reading[]>

/**
 * Returns whether the time may grow faster than the length of the texts. A text among the arguments may be a pattern
 * that backtracks.
 */
export const mayTakeLong = (
  definition: { readonly needsTimeLimit?: boolean } | undefined,
  args: Readonly<Record<string, unknown>>,
): boolean => definition?.needsTimeLimit !== false || Object.values(args).some(holdsText)

/** A plain word, such as the name of an average, is no pattern that could take long. */
const holdsText = (value: unknown): boolean =>
  (typeof value === 'string' && !/^\w*$/.test(value)) ||
  (typeof value === 'object' && value !== null && Object.values(value).some(holdsText))

/**
 * The name for messages about code that exceeds its time limit. It includes the arguments, such as a pattern that
 * backtracks.
 */
export function formatCall(name: string, args: Readonly<Record<string, unknown>>): string {
  const argsText = Object.keys(args).length === 0 ? '' : ` ${JSON.stringify(args)}`
  return `${name}${argsText.length > 300 ? `${argsText.slice(0, 300)}…` : argsText}`
}

export function compilePipeline(
  name: string,
  entries: readonly FilterEntry[],
  { at, context }: { readonly at: number; readonly context: Context },
): FilterPipeline {
  const filters = entries.flatMap((entry, i) =>
    compileFilter(entry, ['filter_list', at, 'filter', i], context).map((filter): FilterPipeline['apply'] => {
      const { function: reference, ...args } = entry
      if (!filterNeedsTimeLimit(entry, context)) return filter
      const call = formatCall(`filter ${shortName(reference)} of "${name}"`, args)
      return (readings, record) => callLimited(call, () => filter(readings, record))
    }),
  )
  return {
    name,
    needsTimeLimit: entries.some(entry => filterNeedsTimeLimit(entry, context)),
    apply: (readings, record) =>
      filters.reduce<Filtered>(
        (before, filter) =>
          before instanceof Promise
            ? before.then(awaitedReadings => filter(awaitedReadings, record))
            : filter(before, record),
        readings,
      ),
  }
}

const filterNeedsTimeLimit = (
  { function: reference, ...args }: FilterEntry,
  { spec: { functions }, registry }: Context,
): boolean => ownValue(functions, reference) !== undefined || mayTakeLong(registry.filters.get(reference), args)

function compileFilter(entry: FilterEntry, path: ConfigPath, context: Context): readonly FilterPipeline['apply'][] {
  const { function: reference, ...rest } = entry
  const { spec, registry, report } = context
  const own = ownValue(spec.functions, reference)
  const defined = definitionIn(own, isFilter)
  const python = findPythonFunction(own)
  if (python !== undefined) return [pythonFilter(python, rest as Readonly<Record<string, Json>>, spec.media)]
  if (own !== undefined && defined === undefined) return [ownFilter(own as FilterFunction, rest as JsonObject)]
  const definition = defined ?? registry.filters.get(reference)
  if (definition === undefined) {
    report([...path, 'function'], unknownName('filter', reference, registry.names.filters))
    return []
  }
  if (givesLogprobs(spec.outputType) && definition.id !== 'take_first') {
    report(path, `${definition.id} reads texts, which output_type ${spec.outputType} does not give`)
    return []
  }
  const args = parseArguments(definition, rest, { path, context })
  return args === undefined ? [] : [(readings, record) => definition.apply(readings, args.value, record)]
}

/** Wraps a task's own filter, which receives only texts. It is skipped if one of the readings is unparsed. */
const ownFilter =
  (filter: FilterFunction, args: JsonObject): FilterPipeline['apply'] =>
  (readings, record) => {
    const texts = readings.flatMap(reading => (reading.type === 'read' ? [reading.text] : []))
    return texts.length < readings.length ? readings : checkTexts(filter(texts, record.doc, args)).map(read)
  }

/** Code of users can return anything. */
function checkTexts(returned: unknown): readonly string[] {
  if (Array.isArray(returned) && returned.every(text => typeof text === 'string')) return returned
  const returnedText = returned instanceof Promise ? 'a promise: it must not be async' : givenText(returned)
  throw new Error(`a filter must return a list of texts, and this one returned ${returnedText}`)
}
