import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject, JudgeRecord, ScoreBody } from '../../cache/records.js'
import type { JudgePrompt, JudgeReply } from '../../stages/judge/define/judge-model.js'
import { answeredDoc, recordOf } from './judged.js'
import { makeScorer } from './scorer.js'

/** Returns the text of a prompt to a judge model. */
export const promptText = ({ messages }: JudgePrompt): string =>
  typeof messages === 'string' ? messages : messages.map(({ text }) => text).join('\n')

/** Returns the beginning of the verdict line that a prompt asks for, such as `VERDICT:`. */
export const verdictMark = (prompt: string, label?: string): string => {
  // An answer may hold such a line, too. The form stands at the end.
  const [, code = ''] = [...prompt.matchAll(/with (?:one line )?"VERDICT( [0-9a-f]{12})?/g)].at(-1) ?? []
  return `VERDICT${code}${label === undefined ? '' : ` ${label}`}:`
}

/** Scores one answer by an entry of `model_graded`, with a function as the judge model. */
export async function gradeAnswer(
  entry: JsonObject,
  {
    answer,
    target = 'Paris',
    doc = { question: 'What is the capital of France?' },
    reply,
  }: {
    readonly answer: string
    readonly target?: Json
    readonly doc?: JudgeRecord['doc']
    readonly reply: (prompt: string, call: number) => string | JudgeReply
  },
): Promise<{ readonly score: ScoreBody; readonly prompts: readonly JudgePrompt[] }> {
  const prompts: JudgePrompt[] = []
  const scorer = makeScorer({
    task: 'graded',
    outputType: 'generate_until',
    config: { metric_list: [{ metric: 'model_graded', name: 'grade', ...entry }] },
    scorerCode: { files: {} },
    ask: prompt => {
      const said = reply(promptText(prompt), prompts.push(prompt) - 1)
      return Promise.resolve(typeof said === 'string' ? { type: 'answered', text: said } : said)
    },
  })
  return { score: await scorer.score(answeredDoc(recordOf(target, { doc }), [answer])), prompts }
}
