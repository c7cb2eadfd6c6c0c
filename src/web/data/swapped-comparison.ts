import type { ComparedMetricView, CompareView } from '../../views/page-data/index.js'

/** The same comparison seen from the other run: the first is compared with the second. */
export const swappedComparison = ({ a, b, metrics, notes }: CompareView): CompareView => ({
  a: b,
  b: a,
  metrics: metrics.map(swapped),
  notes,
})

function swapped(metric: ComparedMetricView): ComparedMetricView {
  const { a, b, difference, interval, verdict, table, improved, worsened, flips } = metric
  const verdicts = { better: 'worse', worse: 'better', same: 'same', undecided: 'undecided' } as const
  return {
    ...metric,
    a: b,
    b: a,
    difference: negated(difference),
    interval: interval && [negated(interval[1]), negated(interval[0])],
    verdict: verdicts[verdict],
    table: table && { ...table, onlyA: table.onlyB, onlyB: table.onlyA },
    improved: worsened,
    worsened: improved,
    flips: flips.map(flip => ({ ...flip, improved: flip.worsened, worsened: flip.improved })),
  }
}

/** Zero has no sign. */
const negated = (value: number): number => (value === 0 ? 0 : -value)
