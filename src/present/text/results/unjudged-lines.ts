import { formatQuantity, formatCount } from '../../../../base/text/numbers.js'
import { oneLine } from '../../../../base/text/visible-text.js'
import { padLeft, padRight } from '../layout/width.js'
import { noJudgeReason } from '../../../../stages/judge/define/judge-model.js'
import type { UnjudgedDocs } from '../../../reading/samples/unjudged-docs.js'
import type { Paint } from '../layout/paint.js'

/** Names the flags that are missing. Scores that older versions stored name them already. */
const withAdvice = (reason: string): string =>
  reason.endsWith(noJudgeReason) ? `${reason} (--judge-model, --judge-args)` : reason

/** Other metrics of these docs may have their scores. */
const describeLack = (kinds: readonly UnjudgedDocs[]): string =>
  kinds.every(({ values }) => values === undefined) ? 'without a score' : 'without a score of each metric'

const mostKinds = 5
/**
 * Lines such as `7  judge_failed  no judge model is named   hallusion_bench_image`, and the command that shows the docs.
 *
 * @param reference how a command names the run and its store
 */
export function unjudgedLines(kinds: readonly UnjudgedDocs[], reference: string, paint: Paint): string[] {
  const docs = kinds.reduce((sum, kind) => sum + kind.docs, 0)
  if (docs === 0) return []
  const shownKinds = kinds.slice(0, mostKinds)
  const width = (of: (kind: UnjudgedDocs) => string): number => Math.max(...shownKinds.map(kind => of(kind).length))
  const [numberWidth, outcomeWidth] = [width(kind => formatCount(kind.docs)), width(kind => kind.outcome)]
  const more = kinds.length - shownKinds.length
  return [
    paint.yellow(`not judged: ${formatQuantity(docs, 'doc')} ${describeLack(kinds)}`),
    ...shownKinds.map(({ task, outcome, reason, values = [], docs: number }) =>
      [
        `  ${padLeft(formatCount(number), numberWidth)}  ${paint.red(padRight(outcome, outcomeWidth))}  ${withAdvice(reason)}`,
        ...[task, ...(values.length === 0 ? [] : [oneLine(values.join(', '))])].filter(text => text !== ''),
      ].join('   '),
    ),
    ...(more > 0 ? [`  … and ${formatQuantity(more, 'other reason')}`] : []),
    `see them:  pipeline report ${reference} --samples failed`,
  ]
}
