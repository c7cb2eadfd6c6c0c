import { judgeFailed, type Verdict } from '../../stages/judge/define/define-metric.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'

/** The words of the benchmark, with the spaces that they have there. */
const renderTask = (kind: string): string =>
  `
        You will receive a ${kind} question, the ground-truth answer and the prediction from a question answering (QA) model.         Your task is to determine whether QA model prediction is correct, based on the question and ground-truth answer.         If the prediction is correct, respond "Correct". If the prediction is incorrect, respond "Incorrect".
        `

/** The names of the kinds of questions in the judge's task and above the question. */
const kinds = {
  'multi-choice': 'Multi-Choice',
  'Yes/No': 'Yes/No',
  'caption matching': 'Caption Matching',
} as const

export interface Prediction {
  readonly kind: keyof typeof kinds
  readonly question: string
  readonly right: string
  readonly answer: string
}

/** Asks the benchmark's judge, which has always been called by these words and at this temperature. */
export const askAssistant = (ask: AskJudge, prompt: string): ReturnType<AskJudge> =>
  ask({
    messages: [
      { role: 'system', text: 'You are an AI assistant for question answering.' },
      { role: 'user', text: prompt },
    ],
    maxTokens: 128,
    temperature: 1,
  })

/** Asks the judge whether the answer is right. */
export async function judgedRight(
  { kind, question, right, answer }: Prediction,
  ask: AskJudge,
): Promise<number | Verdict> {
  const prompt = `${renderTask(kind)}\n${kinds[kind]} Question:\n${question}\nGround-Truth Answer: ${right}\nModel Prediction: ${answer}`
  const reply = await askAssistant(ask, prompt)
  if (reply.type === 'failed') return judgeFailed(reply.reason)
  const [saysRight, saysWrong] = [reply.text.includes('Correct'), reply.text.includes('Incorrect')]
  if (!saysRight && !saysWrong)
    return judgeFailed(`the judge says neither "Correct" nor "Incorrect": ${reply.text.slice(0, 200)}`)
  return Number(reply.text.startsWith('Correct') || !saysWrong)
}
