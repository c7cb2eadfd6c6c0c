import { formatQuantity, percent, probability } from '../../../base/text/numbers.js'
import { oneLine } from '../../../base/text/visible-text.js'
import type { Recheck } from '../../evaluation/recheck.js'
import type { Paint } from './layout/paint.js'
import { docList } from './results/incomplete-run.js'

const share = (value: number): string => percent(value, 1)

/** Formats a recheck: the share of equal answers, the reference, and the decision. */
export function formatRecheck(recheck: Recheck, paint: Paint): string[] {
  const { matches, n, rate, interval, p, isChanged, differing, unanswered, served } = recheck
  const isOtherModel = served.then.join('\n') !== served.now.join('\n')
  return [
    `${matches} of ${formatQuantity(n, 'doc')} answered alike: ${share(rate)} (95 % CI ${share(interval[0])} – ${share(interval[1])})`,
    `expected: ${formatBasis(recheck)}`,
    isChanged
      ? paint.red(`CHANGED: so few equal answers have a probability of ${probability(p)} if nothing changed`)
      : paint.green(`no change found (p ${probability(p)})`),
    ...(isOtherModel
      ? [paint.red(`the server names another model: ${formatNames(served.then)} then, ${formatNames(served.now)} now`)]
      : []),
    ...(differing.length === 0 ? [] : [`other answers: ${docList(differing, 12)}`]),
    ...(unanswered === 0
      ? []
      : [paint.yellow(`${formatQuantity(unanswered, 'doc')} got no answer, and is not counted`)]),
    paint.dim(`the new answers are run ${recheck.recheck}`),
  ]
}

function formatBasis({ basis, expected, run }: Recheck): string {
  if (typeof expected === 'number') return `at least ${share(expected)}, which is tolerated   (--tolerance)`
  const counts = `${share(expected.matches / expected.n)} of ${formatQuantity(expected.n, 'doc')}`
  return basis === 'repeats' ? `${counts}, as the repeats of ${run} show` : `${counts}, as an earlier recheck shows`
}

const formatNames = (names: readonly string[]): string =>
  names.length === 0 ? 'the one that was asked' : names.map(oneLine).join(', ')
