import { pythonRegex } from '../../base/python/python-regex.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import { judgeFailed, type Verdict } from '../../stages/judge/define/define-metric.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'
import { text } from '../_shared/options.js'

const request =
  'We would like to request your feedback on the performance of two AI assistants in response to the user question and audio description displayed above. AI assistants are provided with detailed audio descriptions and questions.\nPlease rate the helpfulness, relevance, accuracy, and comprehensiveness of their responses. Each assistant receives an overall score on a scale of 1 to 10, where a higher score indicates better overall performance. Please output a single line containing only two values indicating the scores for Assistant 1 and 2, respectively. The two scores are separated by a space. Please only output the 2 required number and no text.'

/** Asks for a comparison of two answers, by what a text says of the audio. */
function comparison(doc: Doc, first: string, second: string): string {
  const [audio, question] = [text(doc['meta_info'], 'meta_info'), text(doc['question'], 'question')]
  return [
    'You are a helpful and precise assistant for checking the quality of the answer.',
    `[Detailed Audio Description]\n${audio}\n[Question]\n${question}`,
    `[The Start of Assistant 1s Answer]\n${first}\n[The End of Assistant 1s Answer]`,
    `[The Start of Assistant 2s Answer]\n${second}\n[The End of Assistant 2s Answer]`,
    `[System]\n${request}`,
  ].join('\n')
}

/**
 * The judge's score of the answer, 1 to 10: the mean of two comparisons with the reference, which comes first once and second once, since
 * judges prefer a place.
 */
export async function judgedAgainstReference(
  doc: Doc,
  [answer = '']: readonly string[],
  { ask }: { readonly ask: AskJudge },
): Promise<Record<string, number | Verdict>> {
  const reference = text(doc['answer_gt'], 'answer_gt')
  const asSecond = await askScores(comparison(doc, reference, answer), ask)
  const asFirst = await askScores(comparison(doc, answer, reference), ask)
  if (typeof asSecond === 'string') return { gpt_eval: judgeFailed(asSecond) }
  if (typeof asFirst === 'string') return { gpt_eval: judgeFailed(asFirst) }
  return { gpt_eval: (asSecond[1] + asFirst[0]) / 2 }
}

const wholeNumber = pythonRegex(String.raw`\b(?:[1-9]|10)\b`, 'g')

/** The first two whole numbers from 1 to 10 in the judge's reply, dots taken out; or why they are not there. */
async function askScores(messages: string, ask: AskJudge): Promise<readonly [number, number] | string> {
  const reply = await ask({ messages })
  if (reply.type === 'failed') return reply.reason
  const [first, second] = reply.text.replaceAll('.', '').match(wholeNumber) ?? []
  if (first === undefined || second === undefined)
    return `the judge gives no two whole numbers from 1 to 10: ${reply.text.slice(0, 200)}`
  return [Number(first), Number(second)]
}
