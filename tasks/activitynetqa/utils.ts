import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { judgeFailed, type Verdict } from '../../stages/judge/define/define-metric.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'
import { capitalised } from '../_shared/question.js'
import { mediaPath } from '../_shared/values.js'
import { text } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

export const video = (doc: Doc): readonly string[] => [
  `${mediaPath('all_test', `v_${text(doc['video_name'], 'video_name')}`, 'video_name')}.mp4`,
]

export const question = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed(`${capitalised(text(doc['question'], 'question'))}?`, kwargs)

const instructions =
  "You are an intelligent chatbot designed for evaluating the correctness of generative outputs for question-answer pairs. Your task is to compare the predicted answer with the correct answer and determine if they match meaningfully. Here's how you can accomplish the task:------##INSTRUCTIONS: - Focus on the meaningful match between the predicted answer and the correct answer.\n- Consider synonyms or paraphrases as valid matches.\n- Evaluate the correctness of the prediction compared to the answer."

const renderPair = (doc: Doc, answer: string): string =>
  `Please evaluate the following video-based question-answer pair:\n\nQuestion: ${text(doc['question'], 'question')}\nCorrect Answer: ${text(doc['answer'], 'answer')}\nPredicted Answer: ${answer}\n\n`

const form =
  "Provide your evaluation only as a yes/no and score where the score is an integer value between 0 and 5, with 5 indicating the highest meaningful match. Please generate the response in the form of a Python dictionary string with keys 'pred' and 'score', where value of 'pred' is  a string of 'yes' or 'no' and value of 'score' is in INTEGER, not STRING.DO NOT PROVIDE ANY OTHER OUTPUT TEXT OR EXPLANATION. Only provide the Python dictionary string. For example, your response should look like this: {'pred': 'yes', 'score': 4.8}."

/** The judge's score, 0 to 5, and whether it takes the answer for right. */
export async function judged(
  doc: Doc,
  [answer = '']: readonly string[],
  { ask }: { readonly ask: AskJudge },
): Promise<Record<string, number | Verdict>> {
  const reply = await ask({
    messages: [
      { role: 'system', text: instructions },
      { role: 'user', text: `${renderPair(doc, answer)}${form}` },
    ],
    maxTokens: 64,
  })
  const verdict = reply.type === 'failed' ? reply.reason : gradeIn(reply.text)
  if (typeof verdict === 'string') return { gpt_eval_score: judgeFailed(verdict) }
  return { gpt_eval_score: verdict.score, gpt_eval_accuracy: Number(verdict.isRight) }
}

/** Reads a reply such as `{'pred': 'yes', 'score': 4.8}`, without the fraction of the score. Returns the reason where it cannot be read. */
function gradeIn(reply: string): { readonly score: number; readonly isRight: boolean } | string {
  const fields = /\{([^{}]*)\}/.exec(reply)?.[1] ?? ''
  const said = /['"]pred['"]\s*:\s*(['"])(.*?)\1/s.exec(fields)?.[2]?.toLowerCase()
  const score = /['"]score['"]\s*:\s*['"]?([0-9]+(?:\.[0-9]+)?)['"]?\s*(?:,|$)/.exec(fields)?.[1]
  const isRight = said?.includes('yes') ?? false
  if (score === undefined || !(isRight || said?.includes('no') === true))
    return `the judge does not say yes or no with a score: ${reply.slice(0, 200)}`
  return { score: Math.trunc(Number(score)), isRight }
}
