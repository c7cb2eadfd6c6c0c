/** Reads the section `throughput` of results JSON. Missing figures are left out. */
import type { RunView } from '../../../present/page/data/index.js'
import {
  formatQuantity,
  dateTime,
  dollars,
  duration,
  formatCount,
  percent,
  rate,
  shortTime,
  size,
} from '../../../../base/text/numbers.js'

/** The measurements of speed and cost of a run. */
export type Throughput = NonNullable<RunView['throughput']>
type Value = Throughput[string]

/** Reads the number at a path within a JSON value; undefined if there is none. */
function numberAt(value: Value, ...path: readonly string[]): number | undefined {
  const field = valueAt(value, path)
  return typeof field === 'number' ? field : undefined
}

function valueAt(value: Value, path: readonly string[]): Value {
  const [name, ...rest] = path
  if (name === undefined) return value
  return isObject(value) ? valueAt(value[name], rest) : undefined
}

const isObject = (value: Value): value is Throughput =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const numbersAt = (value: Value, ...path: readonly string[]): readonly number[] => {
  const list = valueAt(value, path)
  return isList(list) ? list.filter(element => typeof element === 'number') : []
}

// Array.isArray makes a list of anything out of a list that is readonly.
const isList = (value: Value): value is readonly NonNullable<Value>[] => Array.isArray(value)

/** The course of a run over its time at work. Times are milliseconds. */
export interface Timeline {
  readonly step: number
  readonly concurrency: readonly number[]
  readonly requests: readonly number[]
  readonly tokens: readonly number[]
  /** The times without work that were cut out. */
  readonly pauses: readonly { readonly at: number; readonly lasted: number }[]
}

/** @returns undefined if nothing was timed */
export function readTimeline(throughput: Throughput): Timeline | undefined {
  const step = numberAt(throughput, 'timeline', 'step_ms')
  const requests = numbersAt(throughput, 'timeline', 'requests_per_second')
  if (step === undefined || step <= 0 || requests.length === 0) return undefined
  const pauses = valueAt(throughput, ['timeline', 'pauses'])
  return {
    step,
    requests,
    concurrency: numbersAt(throughput, 'timeline', 'concurrency'),
    tokens: numbersAt(throughput, 'timeline', 'output_tokens_per_second'),
    pauses: (isList(pauses) ? pauses : []).flatMap(pause => {
      const [at, lasted] = [numberAt(pause, 'at_ms'), numberAt(pause, 'lasted_ms')]
      return at === undefined || lasted === undefined ? [] : [{ at, lasted }]
    }),
  }
}

/** Totals as pairs of a name and a text. */
export function listTotals(throughput: Throughput): readonly (readonly [name: string, text: string])[] {
  const at = (...path: readonly string[]): number => numberAt(throughput, ...path) ?? 0
  const some = (count: number, text: string): readonly string[] => (count > 0 ? [text] : [])
  const busy = at('busy_ms')
  const pairs: readonly (readonly [string, readonly string[]])[] = [
    [
      'Answers',
      [
        `${formatCount(at('requests', 'asked'))} requested`,
        `${formatCount(at('requests', 'from_store'))} from the store`,
      ],
    ],
    [
      'Attempts',
      some(
        at('requests', 'attempts'),
        [
          `${formatCount(at('requests', 'attempts'))} sent`,
          formatQuantity(at('requests', 'retries'), 'retry', 'retries'),
          `${formatCount(at('requests', 'throttled'))} throttled (${percent(at('requests', 'throttled'), at('requests', 'attempts'))})`,
        ].join(' · '),
      ),
    ],
    ['Tokens', tokenFacts(throughput, 'tokens')],
    ['Batch tokens', tokenFacts(throughput, 'batch_tokens')],
    [
      'Bytes',
      [
        ...some(at('bytes', 'sent'), `${size(at('bytes', 'sent'))} sent`),
        ...some(at('bytes', 'received'), `${size(at('bytes', 'received'))} received`),
      ],
    ],
    ['Time', busy === 0 ? [] : [`${shortTime(busy)} at work`, ...formatSpan(throughput)]],
    [
      'Rate',
      [
        ...some(at('requests_per_second'), rate(at('requests_per_second')).replace('/s', ' requests/s')),
        ...some(at('output_tokens_per_second'), `${formatCount(at('output_tokens_per_second'))} output tokens/s`),
        ...some(at('input_tokens_per_second'), `${formatCount(at('input_tokens_per_second'))} input tokens/s`),
      ],
    ],
    [
      'Concurrency',
      some(
        at('concurrency', 'peak'),
        `${at('concurrency', 'mean').toFixed(1)} on average · ${formatCount(at('concurrency', 'peak'))} at most`,
      ),
    ],
    ['Cost', formatCost(throughput)],
  ]
  return pairs.filter(([, facts]) => facts.length > 0).map(([name, facts]) => [name, facts.join(' · ')])
}

function tokenFacts(throughput: Throughput, name: string): readonly string[] {
  const at = (part: string): number => numberAt(throughput, name, part) ?? 0
  if (at('requests') === 0) return []
  return [
    `${formatCount(at('input'))} in${at('cached') === 0 ? '' : ` (${formatCount(at('cached'))} cached)`}`,
    `${formatCount(at('output'))} out${at('reasoning') === 0 ? '' : ` (${formatCount(at('reasoning'))} reasoning)`}`,
  ]
}

function formatSpan(throughput: Throughput): readonly string[] {
  const [from, to] = [throughput['first_at'], throughput['last_at']]
  if (typeof from !== 'string' || typeof to !== 'string') return []
  const pauses = readTimeline(throughput)?.pauses ?? []
  const paused = pauses.reduce((sum, { lasted }) => sum + lasted, 0)
  return [
    `${dateTime(from)} – ${dateTime(to)}`,
    ...(pauses.length === 0 ? [] : [`${formatQuantity(pauses.length, 'pause')} of ${duration(paused)} not counted`]),
  ]
}

/** The cost of a part of a run, such as `$0.42`; "at least" if some answers have no token count. */
function formatCost(measured: Throughput): readonly string[] {
  const [usd, priced] = [numberAt(measured, 'cost', 'usd'), numberAt(measured, 'cost', 'requests') ?? 0]
  if (usd === undefined || priced === 0) return []
  return [`${priced < (numberAt(measured, 'requests', 'asked') ?? 0) ? 'at least ' : ''}${dollars(usd)}`]
}

const spreads = [
  ['latency_ms', 'Latency'],
  ['time_to_first_token_ms', 'To the first token'],
  ['time_per_output_token_ms', 'Per output token'],
  ['queue_ms', 'Queue'],
  ['connect_ms', 'Connect'],
  ['end_to_end_ms', 'End to end'],
] as const

/** The columns of the table of latencies. */
export const spreadColumns = ['mean', 'p50', 'p90', 'p99', 'max'] as const

/** A row of the table of latencies. */
export interface SpreadRow {
  readonly name: string
  readonly n: number
  /** In the order of {@link spreadColumns}. */
  readonly times: readonly string[]
}

/** Distributions of the times of single requests. */
export const spreadRows = (throughput: Throughput): readonly SpreadRow[] =>
  spreads.flatMap(([key, name]) => {
    const n = numberAt(throughput, key, 'n')
    if (n === undefined || n === 0) return []
    const times = spreadColumns.map(column => numberAt(throughput, key, column))
    return [{ name, n, times: times.map(time => (time === undefined ? '–' : shortTime(time))) }]
  })

/** A row of the table of tasks. */
export interface TaskRow {
  readonly task: string
  readonly cells: readonly string[]
}

/** The columns of the table of tasks. */
export const taskColumns = [
  'Answers',
  'Requests/s',
  'Output tokens/s',
  'Tokens in',
  'Tokens out',
  'p50',
  'p99',
  'Cost',
] as const

/** Lists the speed by task. Empty for a run with one task, which has the figures of the run. */
export function taskRows(throughput: Throughput): readonly TaskRow[] {
  const tasks = throughput['tasks']
  if (!isObject(tasks)) return []
  return Object.entries(tasks).flatMap(([task, measured]) => {
    if (!isObject(measured) || (numberAt(measured, 'requests', 'asked') ?? 0) === 0) return []
    const at = (...path: readonly string[]): number => numberAt(measured, ...path) ?? 0
    const some = (value: number, text: string): string => (value > 0 ? text : '–')
    return [
      {
        task,
        cells: [
          formatCount(at('requests', 'asked')),
          some(at('requests_per_second'), rate(at('requests_per_second')).replace('/s', '')),
          some(at('output_tokens_per_second'), formatCount(at('output_tokens_per_second'))),
          some(at('tokens', 'input'), formatCount(at('tokens', 'input'))),
          some(at('tokens', 'output'), formatCount(at('tokens', 'output'))),
          some(at('latency_ms', 'n'), shortTime(at('latency_ms', 'p50'))),
          some(at('latency_ms', 'n'), shortTime(at('latency_ms', 'p99'))),
          formatCost(measured)[0] ?? '–',
        ],
      },
    ]
  })
}
