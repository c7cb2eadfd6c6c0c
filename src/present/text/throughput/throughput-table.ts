import type { RunStats, SpreadName, TokenSums } from '../../../../stages/model/stats/run-stats.js'
import {
  axisLabel,
  formatQuantity,
  dateTime,
  duration,
  formatCount,
  percent,
  rate,
  shortTime,
  size,
} from '../../../../base/text/numbers.js'
import type { Paint } from '../layout/paint.js'
import { columnPlot } from './plot.js'
import { pairs, table, type Column } from '../layout/table.js'
import { costText } from './throughput-lines.js'

const columns: readonly Column[] = [
  { title: 'per request', least: 12 },
  { title: 'n', align: 'right', drop: 2 },
  { title: 'mean', align: 'right', drop: 1 },
  ...['p50', 'p90', 'p99', 'max'].map(title => ({ title, align: 'right' }) as const),
]

const spreads: readonly (readonly [SpreadName, string])[] = [
  ['latency', 'latency'],
  ['firstToken', 'to the first token'],
  ['perOutputToken', 'per output token'],
  ['queue', 'queue'],
  ['connect', 'connect'],
  ['endToEnd', 'end to end'],
]

/**
 * The table of a run's stats: totals, single requests, tasks, and plots over time.
 *
 * @param canStream whether the model can stream answers
 */
export function throughputTable(
  figures: RunStats,
  paint: Paint,
  { canStream = false }: { readonly canStream?: boolean } = {},
): string[] {
  if (figures.answers.asked === 0 && figures.attempts.sent === 0)
    return [`nothing asked · ${formatQuantity(figures.answers.fromStore, 'answer')} from store`]
  return [
    ...pairs(totals(figures), paint),
    '',
    ...spreadTable(figures, paint),
    ...(canStream ? streamHint(figures, paint) : []),
    ...taskTable(figures, paint),
    ...plots(figures, paint),
  ]
}

type Pairs = readonly (readonly [string, string])[]

/** Empty if no fact is known. */
function line(name: string, ...facts: readonly (string | undefined)[]): Pairs {
  const definedFacts = facts.filter(fact => fact !== undefined)
  return definedFacts.length === 0 ? [] : [[name, definedFacts.join(' · ')]]
}

const some = (count: number, text: string): string | undefined => (count === 0 ? undefined : text)

function totals(figures: RunStats): Pairs {
  const { answers, attempts, tokens, batchTokens, bytes, cost } = figures
  return [
    ...line(
      'answers',
      `${formatCount(answers.asked)} asked`,
      some(answers.batch, `${formatCount(answers.batch)} of them as batches`),
      `${formatCount(answers.fromStore)} from store`,
    ),
    ...line(
      'attempts',
      `${formatCount(attempts.sent)} sent`,
      `${formatCount(attempts.retries)} of them again`,
      `${formatCount(attempts.throttled)} throttled (${percent(attempts.throttled, attempts.sent)})`,
    ),
    ...hedgeLine(figures),
    ...line('tokens', ...tokenFacts(tokens)),
    ...line('batch tokens', ...tokenFacts(batchTokens)),
    ...line(
      'bytes',
      some(bytes.sent, `${size(bytes.sent)} sent`),
      some(bytes.received, `${size(bytes.received)} received`),
    ),
    ...speedPairs(figures),
    ...line('cost', cost && cost.priced > 0 ? costText(cost, answers.asked) : undefined),
  ]
}

function hedgeLine({ hedges }: RunStats): Pairs {
  if (hedges === undefined) return []
  const { sent, won, tokens } = hedges
  return line(
    'hedges',
    `${formatCount(sent)} sent`,
    `${formatCount(won)} answered first`,
    some(
      tokens.counted,
      `at most ${formatCount(tokens.input)} tokens in and ${formatCount(tokens.output)} out besides`,
    ),
  )
}

/** Empty if all requests were submitted as batches. */
function speedPairs(figures: RunStats): Pairs {
  const { busyMs, rates, concurrency } = figures
  if (busyMs === 0) return []
  return [
    ...line('time', ...timeFacts(figures)),
    ...line(
      'rate',
      rate(rates.requests).replace('/s', ' requests/s'),
      some(rates.outputTokens, `${formatCount(rates.outputTokens)} output tokens/s`),
      some(rates.inputTokens, `${formatCount(rates.inputTokens)} input tokens/s`),
    ),
    ...line('concurrency', `${concurrency.mean.toFixed(1)} on average`, `${formatCount(concurrency.peak)} at most`),
  ]
}

function tokenFacts({ input, output, reasoning, cached, counted: n }: TokenSums): readonly string[] {
  if (n === 0) return []
  return [
    `${formatCount(input)} in${cached === 0 ? '' : ` (${formatCount(cached)} cached)`}`,
    `${formatCount(output)} out${reasoning === 0 ? '' : ` (${formatCount(reasoning)} reasoning)`}`,
  ]
}

function timeFacts({ busyMs, from, to, pauses }: RunStats): readonly string[] {
  if (from === undefined || to === undefined) return []
  const paused = pauses.reduce((sum, { lasted }) => sum + lasted, 0)
  return [
    `${shortTime(busyMs)} at work`,
    `${dateTime(from)} – ${dateTime(to)}`,
    ...(pauses.length === 0
      ? []
      : [`${formatQuantity(pauses.length, 'pause')} of ${duration(paused)} not counted (┴)`]),
  ]
}

function spreadTable({ spread }: RunStats, paint: Paint): string[] {
  const rows = spreads.flatMap(([name, label]) => {
    const figures = spread[name]
    if (figures === undefined) return []
    const { n, mean, p50, p90, p99, max } = figures
    return [[label, formatCount(n), ...[mean, p50, p90, p99, max].map(shortTime)]]
  })
  return rows.length === 0 ? [] : table(columns, rows, paint)
}

const taskColumns: readonly Column[] = [
  { title: 'per task', least: 12 },
  { title: 'asked', align: 'right' },
  { title: 'requests/s', align: 'right' },
  { title: 'tokens/s', align: 'right', drop: 1 },
  { title: 'in', align: 'right', drop: 4 },
  { title: 'out', align: 'right', drop: 3 },
  { title: 'p50', align: 'right' },
  { title: 'p99', align: 'right', drop: 2 },
  { title: 'first token', align: 'right', drop: 5 },
  { title: 'cost', align: 'right', least: 8 },
]

/** Formats the stats of each task. Empty for a run with one task, which has the stats of the run. */
function taskTable({ tasks = [] }: RunStats, paint: Paint): string[] {
  const rows = tasks
    .filter(({ answers }) => answers.asked > 0)
    .map(({ task, answers, rates, tokens, batchTokens, spread: { latency, firstToken }, cost }) => [
      task,
      formatCount(answers.asked),
      latency === undefined ? '' : rate(rates.requests).replace('/s', ''),
      some(rates.outputTokens, formatCount(rates.outputTokens)) ?? '',
      ...[tokens.input + batchTokens.input, tokens.output + batchTokens.output].map(
        count => some(count, formatCount(count)) ?? '',
      ),
      ...[latency?.p50, latency?.p99, firstToken?.p50].map(ms => (ms === undefined ? '' : shortTime(ms))),
      cost !== undefined && cost.priced > 0 ? costText(cost, answers.asked) : '',
    ])
  const isKnown = (_: unknown, index: number): boolean => rows.some(row => row[index] !== '')
  const cellRows = rows.map(row => row.filter(isKnown))
  return rows.length === 0 ? [] : ['', ...table(taskColumns.filter(isKnown), cellRows, paint)]
}

function streamHint({ spread }: RunStats, paint: Paint): string[] {
  if (spread.latency === undefined || spread.firstToken !== undefined) return []
  return [paint.dim('first tokens are timed where answers are streamed: stream=true in --model-args')]
}

function plots({ timeline, busyMs, pauses }: RunStats, paint: Paint): string[] {
  const marks = pauses.map(({ at }) => at / busyMs)
  const ends = ['0 s', duration(busyMs)] as const
  const drawn = [
    columnPlot({ title: 'requests in flight', values: timeline.concurrency, ends, marks }, axisLabel, paint),
    columnPlot({ title: 'answers a second', values: timeline.requests, ends, marks }, axisLabel, paint),
  ]
  return drawn.flatMap(lines => (lines.length === 0 ? [] : ['', ...lines]))
}
