import type { ComparedMetricView, CompareView } from '../../present/page/data/index.js'

/** The same comparison seen from the other run: the first is compared with the second. */
export const swappedComparison = ({
  a,
  b,
  metrics,
  notes,
  differences,
  settings,
  prompt,
}: CompareView): CompareView => ({
  a: b,
  b: a,
  metrics: metrics.map(swapMetric),
  notes,
  differences,
  settings: settings.map(({ name, a: own, b: other }) => ({ name, a: other, b: own })),
  ...(prompt && { prompt: { ...prompt, a: prompt.b, b: prompt.a } }),
})

function swapMetric(metric: ComparedMetricView): ComparedMetricView {
  const { a, b, difference, interval, verdict, table, improved, worsened, flips } = metric
  const verdicts = {
    better: 'worse',
    worse: 'better',
    same: 'same',
    equivalent: 'equivalent',
    undecided: 'undecided',
  } as const
  return {
    ...metric,
    a: b,
    b: a,
    difference: negateNumber(difference),
    interval: interval && [negateNumber(interval[1]), negateNumber(interval[0])],
    verdict: verdicts[verdict],
    table: table && { ...table, onlyA: table.onlyB, onlyB: table.onlyA },
    improved: worsened,
    worsened: improved,
    flips: flips.map(flip => ({ ...flip, improved: flip.worsened, worsened: flip.improved })),
  }
}

/** Zero has no sign. */
const negateNumber = (value: number): number => (value === 0 ? 0 : -value)
