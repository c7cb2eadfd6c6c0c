import type { JsonObject } from '../../../cache/records.js'
import { fillPrompt } from '../helpers/judge-prompts.js'
import type { MetricInput, Verdict } from '../define/define-metric.js'
import { makeFence, type FencedTexts } from './fence.js'
import { makeVerdictMark, type Ruled, type VerdictMark } from './verdict-lines.js'

/** The texts of a doc that a judge model is shown. */
export interface GradedTexts {
  readonly answer: string
  readonly question?: string | undefined
  readonly reference?: string | undefined
  /** The answer that it is compared with. */
  readonly against?: string | undefined
}

/** One request to the judge model, and how its reply is read. */
export interface GradedQuestion<Ruling> {
  readonly prompt: string
  /** The JSON schema of the reply, if it is sent to the judge's server. */
  readonly schema?: JsonObject | undefined
  readonly read: (reply: string) => Ruled<Ruling>
}

/** A way of grading. The rulings of its questions, in their order, become the value of one vote. */
export interface JudgeKind<Ruling> {
  /** Makes the requests of one vote. @throws Error if a text is missing */
  ask(texts: GradedTexts): readonly GradedQuestion<Ruling>[]
  conclude(rulings: readonly Ruling[], input: MetricInput): Verdict | Promise<Verdict>
  /** Rates a ruling on a scale from 0, the worst, to 1. Undefined if the rating is unknown. */
  rate(ruling: Ruling, input: MetricInput): number | undefined | Promise<number | undefined>
  /** Whether only the best rating is right for a right answer, and only the worst for a wrong one. */
  readonly isStrict: boolean
  /** The lowest and highest value. */
  readonly range?: readonly [number, number] | undefined
}

/** Writes the instruction for the verdict, and reads the verdict. */
export interface VerdictForm<Ruling> {
  readonly instruct: (mark: VerdictMark) => string
  readonly read: (mark: VerdictMark, reply: string) => Ruled<Ruling>
  /** Returns the JSON schema of the reply, if it is sent to the judge's server. */
  readonly describe?: ((mark: VerdictMark) => JsonObject) | undefined
  /** Whether a graded text could pass for a verdict of this form. */
  readonly mayPass?: (text: string) => boolean
}

/**
 * Makes a question: the rule about fences, the filled template, and the form of the verdict.
 *
 * @param texts the graded texts, which are fenced; a template may leave out some
 * @param own further texts of the task's author, which are not fenced
 */
export function makeQuestion<Ruling>(
  template: string,
  {
    texts,
    own = {},
    form,
  }: { readonly texts: FencedTexts; readonly own?: FencedTexts; readonly form: VerdictForm<Ruling> },
): GradedQuestion<Ruling> {
  const fence = makeFence(template, texts)
  const mark = makeVerdictMark(fence, texts, form.mayPass)
  const wrapped = Object.entries(texts).map(([name, text]) => [name, fence.wrap(name, text)])
  const filled = fillPrompt(template, { ...own, ...(Object.fromEntries(wrapped) as FencedTexts) })
  return {
    prompt: [fence.rule, '', filled, '', form.instruct(mark)].join('\n'),
    schema: form.describe?.(mark),
    read: reply => form.read(mark, reply),
  }
}

/** Lists the existing texts by placeholder name. */
export const listTexts = ({ answer, question, reference }: GradedTexts): FencedTexts => ({
  answer,
  ...(question !== undefined && { question }),
  ...(reference !== undefined && { reference }),
})
