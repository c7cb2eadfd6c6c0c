/**
 * Prints simulated error rates and exact coverages of the statistics as Markdown tables: `npm run sim [-- REPETITIONS]`. Exits with 1 if a rate is not
 * that of its golden row.
 */
import { simulateCoverage, simulateErrorRates, type SimulatedNumber } from '../bench/simulations/error-rates.js'
import { simulateGroupCoverage } from '../bench/simulations/group-coverage.js'
import { compareRates, type ComparedRate, type RateRow } from '../bench/simulations/golden-rates.js'
import { computeCoverage } from '../stages/judge/statistics/intervals/coverage.js'
import {
  agrestiCoull,
  clopperPearson,
  correctedWilson,
  jeffreys,
  wald,
  wilson,
} from '../stages/judge/statistics/intervals/proportions.js'
import { goldenRows } from '../tests/support/golden.js'

const repetitions = Number(process.argv[2] ?? 2_000)

const formatRow = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

function printTable(title: string, heads: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  console.log([`\n${title}\n`, formatRow(heads), formatRow(heads.map(() => '---')), ...rows.map(formatRow)].join('\n'))
}

const equal = (clusters: number, size: number): readonly number[] => new Array<number>(clusters).fill(size)
const shapes: readonly (readonly [string, readonly number[]])[] = [
  ['10 × 3', equal(10, 3)],
  ['20 × 5', equal(20, 5)],
  ['100 × 3', equal(100, 3)],
  ['skewed', [50, 20, 10, 5, 3, 2, 1, 1, 1, 1]],
]
const formatShare = (share: number | undefined): string =>
  share === undefined ? 'no interval' : `${(100 * share).toFixed(1)} %`

printTable(
  `False findings of paired tests at 5 %, ${repetitions} repetitions`,
  ['clusters', 'ICC', 'scores', 't test', 'CR1, t(G − 1)', 'CR2, Bell–McCaffrey'],
  shapes.flatMap(([name, sizes]) =>
    [0, 0.1, 0.5].flatMap(icc =>
      [undefined, 0.7, 0.95].map(p => {
        const { plain, cr1, cr2 } = simulateErrorRates({
          sizes,
          icc,
          repetitions,
          seed: 1,
          ...(p !== undefined && { p }),
        })
        return [name, icc, p === undefined ? 'normal' : `0/1, p = ${p}`, ...[plain, cr1, cr2].map(formatShare)]
      }),
    ),
  ),
)

const intervals = {
  wald,
  wilson: (k: number, n: number) => wilson(k, n),
  correctedWilson,
  clopperPearson,
  agrestiCoull,
  jeffreys,
}
printTable(
  'Exact coverage of 95 % intervals of a share',
  ['n', 'p', ...Object.keys(intervals)],
  [10, 50, 200, 1_000].flatMap(n =>
    [0.5, 0.8, 0.95, 0.99].map(p => [
      ...[n, p],
      ...Object.values(intervals).map(interval => formatShare(computeCoverage(n, p, k => interval(k, n)))),
    ]),
  ),
)

const groupShapes: readonly (readonly [string, readonly number[]])[] = [
  ['2 × 20', equal(2, 20)],
  ['20 × 5', equal(20, 5)],
  ['20 × 20', equal(20, 20)],
  ['57 × 100', equal(57, 100)],
  ['10 … 500', [10, 20, 30, 50, 80, 100, 150, 200, 300, 500]],
  ['1,000 + 10 + 10', [1_000, 10, 10]],
  ['1,000 + 9 × 10', [1_000, ...equal(9, 10)]],
]
const groupRows = groupShapes.flatMap(([name, sizes]) =>
  (['shares', 'clusters', 'samples'] as const).flatMap(kind =>
    [false, true].flatMap(weightBySize =>
      [0.02, 0.1, 0.5, 0.9, 0.98].map(p => ({ name, group: { sizes, kind, weightBySize, p, repetitions, seed: 1 } })),
    ),
  ),
)
const groupCells: string[][] = []
for (const { name, group } of groupRows) {
  const { covered, width } = await simulateGroupCoverage(group)
  const weights = group.weightBySize ? 'docs' : 'equal'
  groupCells.push([name, group.kind, weights, String(group.p), formatShare(covered), width.toFixed(2)])
}
printTable(
  `Coverage of 95 % intervals of a group of tasks, ${repetitions} repetitions, and their width beside that of the true standard error`,
  ['docs of tasks', 'scores', 'weights', 'p', 'coverage', 'width'],
  groupCells,
)

const bootstrapShapes: typeof shapes = [['100 × 1', equal(100, 1)], ['30 × 1', equal(30, 1)], ...shapes]
const numbers: readonly SimulatedNumber[] = ['f1', 'ratio', 'groups']
const bootstrapRepetitions = Math.ceil(repetitions / 4)
printTable(
  `Coverage of 95 % bootstrap intervals (BCa) of aggregations, ${bootstrapRepetitions} repetitions`,
  ['clusters', 'ICC', 'F1', 'ratio of sums', 'mean of groups'],
  bootstrapShapes.flatMap(([name, sizes]) =>
    (name.endsWith('× 1') ? [0] : [0, 0.3]).map(icc => [
      ...[name, icc],
      ...numbers.map(number =>
        formatShare(simulateCoverage(number, { sizes, icc, repetitions: bootstrapRepetitions, seed: 1 })),
      ),
    ]),
  ),
)

const formatRange = (shares: readonly number[]): string => {
  const [low, high] = [Math.min(...shares), Math.max(...shares)].map(formatShare)
  return low === high ? String(low) : `${low} – ${high}`
}
const rows = goldenRows<RateRow>('stats/simulation.jsonl.gz')
const compared = rows.flatMap((row, at) => compareRates(row, { repetitions, seed: at + 1 }))
const byMethod = new Map<string, ComparedRate[]>()
for (const rate of compared) {
  const name = `${rate.kind}/${rate.method}`
  byMethod.set(name, [...(byMethod.get(name) ?? []), rate])
}
printTable(
  `Rates of ${rows.length} golden rows, ${repetitions} repetitions, beside the reference`,
  ['kind', 'method', 'rows', 'rates', 'rates of the reference', 'further off than four standard errors'],
  [...byMethod.values()].map(rates => [
    ...[rates[0]?.kind ?? '', rates[0]?.method ?? '', rates.length],
    ...[formatRange(rates.map(({ rate }) => rate)), formatRange(rates.map(({ expected }) => expected))],
    rates.filter(({ isAccepted }) => !isAccepted).length,
  ]),
)
const missed = compared.filter(({ isAccepted }) => !isAccepted)
for (const { row, method, rate, accepted } of missed)
  console.log(`${row} ${method}: ${formatShare(rate)} is not within ${accepted.map(formatShare).join(' – ')}`)
if (missed.length > 0) process.exitCode = 1
