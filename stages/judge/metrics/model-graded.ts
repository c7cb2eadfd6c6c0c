import { sha256 } from '../../../cache/digest.js'
import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { defineMetric, judgeFailed, unparsed, type MetricInput, type Verdict } from '../define/define-metric.js'
import { noJudge, type AskJudge, type JudgeGuard, type JudgePrompt } from '../define/judge-model.js'
import { makeCanaries } from '../judges/canaries.js'
import { readGradedTexts } from '../judges/doc-texts.js'
import { gradedArgs, type GradedArgs } from '../judges/graded-args.js'
import type { GradedQuestion, GradedTexts, JudgeKind } from '../judges/graded-question.js'
import { makeComparative } from '../judges/kinds/comparative.js'
import { makeExtract } from '../judges/kinds/extract.js'
import { makeForm } from '../judges/kinds/form.js'
import { makeBinary, makeLikert } from '../judges/kinds/menus.js'
import { makeRubric } from '../judges/kinds/rubric.js'
import { combineVotes } from '../judges/panel.js'

/**
 * The grade that a judge model gives to the answer. Higher is better.
 *
 * `kind` says how it grades: `binary`, `likert`, `rubric`, `extract`, `form` or `comparative`. The range is 0 to 1,
 * except for `likert` (`low` to `high`), `rubric` (its grades) and `form` (its schema). A reply without a readable
 * verdict is `judge_failed`, and never a number.
 *
 * Sources of the prompts: `stages/judge/judges/prompts.ts`.
 */
export const modelGraded = defineMetric({
  id: 'model_graded',
  args: gradedArgs,
  higherIsBetter: true,
  needsTimeLimit: false,
  asksJudge: true,
  findRange: args => withKind(args, kind => kind.range),
  judge: (input, args, { ask } = { ask: noJudge }) => withKind(args, kind => gradeDoc(kind, input, { args, ask })),
})

/** Each kind has rulings of its own type, which only its own functions read. */
function withKind<Result>(args: GradedArgs, use: <Ruling>(kind: JudgeKind<Ruling>) => Result): Result {
  switch (args.kind) {
    case 'binary':
      return use(makeBinary(args))
    case 'likert':
      return use(makeLikert(args))
    case 'rubric':
      return use(makeRubric(args))
    case 'extract':
      return use(makeExtract(args))
    case 'form':
      return use(makeForm(args))
    case 'comparative':
      return use(makeComparative(args))
  }
}

interface Grading {
  readonly args: GradedArgs
  readonly ask: AskJudge
}

async function gradeDoc<Ruling>(kind: JudgeKind<Ruling>, input: MetricInput, { args, ask }: Grading): Promise<Verdict> {
  const { needs } = args
  if (needs !== undefined && input.media?.some(({ type }) => type === needs) !== true)
    return unparsed(`the answer has no ${needs}`, kind.range?.[0] ?? 0)
  const texts = readGradedTexts(input, args)
  const questions = kind.ask(texts)
  const guard = makeGuard(kind, { texts, input, args })
  const vote = () => castVote(kind, { questions, guard, input, args, ask })
  return combineVotes(await Promise.all(Array.from({ length: args.votes }, vote)), args.combine)
}

/** One guard serves all docs of an entry, so that its canaries are asked once. */
function makeGuard<Ruling>(
  kind: JudgeKind<Ruling>,
  gradedDoc: { readonly texts: GradedTexts; readonly input: MetricInput; readonly args: GradedArgs },
): Omit<JudgeGuard, 'misread'> {
  const { args } = gradedDoc
  return {
    name: sha256(canonicalJson(args as unknown as Json)),
    maxFailures: args.max_failures,
    ...(args.canaries > 0 && { known: () => makeCanaries(kind, gradedDoc) }),
  }
}

/** Shows the judge the media of the answer before the question. */
const showMedia = (prompt: string, { media = [] }: MetricInput): JudgePrompt['messages'] =>
  media.length === 0
    ? prompt
    : [{ role: 'user', text: prompt, content: [...media, { type: 'text', text: `${mediaRule}\n\n${prompt}` }] }]

const mediaRule = 'The media above are part of the answer that you grade.'

interface Vote<Ruling> extends Grading {
  readonly questions: readonly GradedQuestion<Ruling>[]
  readonly guard: Omit<JudgeGuard, 'misread'>
  readonly input: MetricInput
}

async function castVote<Ruling>(
  kind: JudgeKind<Ruling>,
  { questions, guard, input, args, ask }: Vote<Ruling>,
): Promise<Verdict> {
  const { votes, max_tokens: maxTokens, temperature = votes > 1 ? 1 : 0 } = args
  const replies = questions.map(async ({ prompt, schema, read }) => {
    const messages = showMedia(prompt, input)
    const misread = (text: string): string | undefined => {
      const said = read(text)
      return said.type === 'unreadable' ? said.reason : undefined
    }
    const reply = await ask({
      ...{ messages, maxTokens, temperature, guard: { ...guard, misread } },
      ...(schema && { schema }),
    })
    return reply.type === 'failed' ? ({ type: 'unreadable', reason: reply.reason } as const) : read(reply.text)
  })
  const rulings: Ruling[] = []
  for (const said of await Promise.all(replies)) {
    if (said.type === 'unreadable') return judgeFailed(said.reason)
    rulings.push(said.ruling)
  }
  return kind.conclude(rulings, input)
}
