/**
 * Makes canaries: control questions with known answers, which reveal a judge that cannot grade. They are made from the first judged doc. Its
 * reference is a right answer, and an absurd text is a wrong one.
 */
import type { MetricInput } from '../define/define-metric.js'
import type { KnownQuestion } from '../define/judge-model.js'
import type { GradedArgs } from './graded-args.js'
import type { GradedQuestion, GradedTexts, JudgeKind } from './graded-question.js'

const absurdAnswer = 'Seventeen purple umbrellas disagree with the smell of Tuesday.'

/** Makes the canaries of a doc, with a right and a wrong answer. Without a reference, there is only the wrong one. */
export function makeCanaries<Ruling>(
  kind: JudgeKind<Ruling>,
  { texts, input, args }: { readonly texts: GradedTexts; readonly input: MetricInput; readonly args: GradedArgs },
): readonly KnownQuestion[] {
  const right = args.kind === 'comparative' ? (texts.against ?? texts.reference) : texts.reference
  const isKnown = right !== undefined && right !== absurdAnswer
  const makeCanary = (answer: string, against: string | undefined, isRight: boolean): KnownQuestion[] => {
    const [question] = kind.ask({ ...texts, answer, ...(against !== undefined && { against }) })
    return question === undefined ? [] : [makeKnown(kind, { question, input, args, isRight })]
  }
  const compared = args.kind === 'comparative'
  const canaries = [
    ...(isKnown ? makeCanary(wrapReference(right, args), compared ? absurdAnswer : undefined, true) : []),
    ...makeCanary(absurdAnswer, compared ? right : undefined, false),
  ]
  return canaries.slice(0, args.canaries)
}

/** The judge that extracts answers finds the first of several references, as in a longer text. */
const wrapReference = (reference: string, { kind }: GradedArgs): string =>
  kind === 'extract' ? `I have thought about it. The final answer is ${reference.split('\n')[0] ?? ''}` : reference

function makeKnown<Ruling>(
  kind: JudgeKind<Ruling>,
  {
    question: { prompt, schema, read },
    input,
    args,
    isRight,
  }: {
    readonly question: GradedQuestion<Ruling>
    readonly input: MetricInput
    readonly args: GradedArgs
    readonly isRight: boolean
  },
): KnownQuestion {
  return {
    prompt: { messages: prompt, maxTokens: args.max_tokens, ...(schema && { schema }) },
    async misjudge(reply) {
      const said = read(reply)
      // Unreadable replies are counted elsewhere. They do not mean that the judge grades wrong.
      if (said.type === 'unreadable') return undefined
      const rating = await kind.rate(said.ruling, input)
      if (rating === undefined || isExpected(rating, isRight, kind.isStrict)) return undefined
      return isRight
        ? 'the judge says that the reference itself is wrong'
        : `the judge says that an absurd answer is right ("${absurdAnswer}")`
    },
  }
}

const isExpected = (rating: number, isRight: boolean, isStrict: boolean): boolean => {
  if (isStrict) return rating === (isRight ? 1 : 0)
  return isRight ? rating > 0 : rating < 1
}
