import type { JsonObject } from '../../cache/records.js'
import { judgeFailed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { inferAnswer, type Options } from '../../stages/judge/helpers/benchmarks/mmbench.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'
import { text } from '../_shared/options.js'
import { optionsOf } from './options.js'

/** The option that the judge names; no letter where it says that the answer is none of them. */
export type Judged =
  | { readonly type: 'told'; readonly letter: string | undefined }
  | { readonly type: 'failed'; readonly verdict: Verdict }

/** Asks a judge model which option is most similar to the answer. */
export async function askForOption(doc: JsonObject, answer: string, ask: AskJudge): Promise<Judged> {
  const options = firstFour(optionsOf(doc))
  const messages = prompt({ question: text(doc['question'], 'question'), options, answer })
  const reply = await ask({ messages, maxTokens: 256, temperature: 0 })
  if (reply.type === 'failed') return { type: 'failed', verdict: judgeFailed(reply.reason) }
  const letter = inferAnswer(reply.text, options)
  if (letter === undefined)
    return { type: 'failed', verdict: judgeFailed(`the judge names no option: ${reply.text.slice(0, 200)}`) }
  return { type: 'told', letter: letter === noneOfThem ? undefined : letter }
}

/** The letter that the prompt gives to an answer that is like none of the options. */
const noneOfThem = 'E'

const firstFour = (options: Options): Options =>
  Object.fromEntries(Object.entries(options).filter(([letter]) => letter !== noneOfThem))

/** MMBench's own words (`mmbench_evals.py`, build_prompt). */
function prompt(asked: { readonly question: string; readonly options: Options; readonly answer: string }): string {
  const listed = Object.entries(asked.options).map(([letter, option]) => `${letter}. ${option}\n`)
  return (
    'You are an AI assistant who will help me to match an answer with several options of a single-choice question. ' +
    'You are provided with a question, several options, and an answer, and you need to find which option is most ' +
    'similar to the answer. If the meaning of all options are significantly different from the answer, output E. ' +
    'Your should output a single uppercase character in A, B, C, D (if they are valid options), and E. \n' +
    'Example 1: \nQuestion: What is the main object in image?\n' +
    'Options: A. teddy bear B. rabbit C. cat D. dog\nAnswer: a cute teddy bear\nYour output: A\n' +
    'Example 2: \nQuestion: What is the main object in image?\n' +
    'Options: A. teddy bear B. rabbit C. cat D. dog\nAnswer: Spider\nYour output: E\n' +
    `Example 3: \nQuestion: ${asked.question}?\nOptions: There are several options: \n${listed.join('')}\n` +
    `Answer: ${asked.answer}\nYour output: `
  )
}
