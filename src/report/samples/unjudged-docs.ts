import type { Judgement, Run, ScoreBody } from '../../../cache/records.js'
import type { JudgementStore } from '../../../cache/store.js'
import { noJudgeReason } from '../../../stages/judge/define/judge-model.js'
import { counted, grouped } from '../layout/numbers.js'
import type { Paint } from '../layout/paint.js'
import { clip, padLeft, padRight } from '../layout/width.js'

/** Docs of one task without a score for the same reason. */
export interface UnjudgedDocs {
  readonly task: string
  readonly outcome: ScoreBody['outcome']
  readonly reason: string
  readonly docs: number
}

/** Tells whether a doc has its answers but no score. */
export const isUnjudged = (score: ScoreBody | undefined): boolean =>
  score?.outcome === 'judge_failed' || score?.outcome === 'error'

/** Groups unscored docs by task and reason, the most frequent first. */
export async function unjudgedDocs(
  store: { readonly judgements: Pick<JudgementStore, 'scores'> },
  run: Run,
  judgement: Judgement,
): Promise<readonly UnjudgedDocs[]> {
  const found = new Map<string, UnjudgedDocs>()
  for await (const { task, body } of store.judgements.scores(judgement)) {
    if (!isUnjudged(body)) continue
    const kind = {
      task: run.asked.tasks[task]?.name ?? '',
      outcome: body.outcome,
      reason: clip((body.reason ?? '').replace(/\s+/g, ' '), longestReason),
    }
    const id = JSON.stringify(kind)
    found.set(id, { ...kind, docs: (found.get(id)?.docs ?? 0) + 1 })
  }
  return [...found.values()].sort((a, b) => b.docs - a.docs)
}

/** Names the flags that are missing. Scores that older versions stored name them already. */
const withAdvice = (reason: string): string =>
  reason.endsWith(noJudgeReason) ? `${reason} (--judge-model, --judge-args)` : reason

const mostKinds = 5
/** The maximum number of characters of a reason. It is large, because the advice is at the end. */
const longestReason = 400

/**
 * Lines such as `7  judge_failed  no judge model is named   hallusion_bench_image`, and the command that shows the docs.
 *
 * @param reference how a command names the run and its store
 */
export function unjudgedLines(kinds: readonly UnjudgedDocs[], reference: string, paint: Paint): string[] {
  const docs = kinds.reduce((sum, kind) => sum + kind.docs, 0)
  if (docs === 0) return []
  const shown = kinds.slice(0, mostKinds)
  const width = (of: (kind: UnjudgedDocs) => string): number => Math.max(...shown.map(kind => of(kind).length))
  const [numberWidth, outcomeWidth] = [width(kind => grouped(kind.docs)), width(kind => kind.outcome)]
  const more = kinds.length - shown.length
  return [
    paint.yellow(`not judged: ${counted(docs, 'doc')} without a score`),
    ...shown.map(({ task, outcome, reason, docs: number }) =>
      `  ${padLeft(grouped(number), numberWidth)}  ${paint.red(padRight(outcome, outcomeWidth))}  ${withAdvice(reason)}   ${task}`.trimEnd(),
    ),
    ...(more > 0 ? [`  … and ${counted(more, 'other reason')}`] : []),
    `see them:  pipeline report ${reference} --samples failed`,
  ]
}
