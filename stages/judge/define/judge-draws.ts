import { addCount } from '../../../base/collections/counts.js'
import { canonicalJson, isObject, type Json } from '../../../base/values/canonical-json.js'
import { noJudge, type AskingDoc, type AskJudge, type JudgePrompt } from './judge-model.js'

/** The sample indices that each doc has for itself. */
const samplesADoc = 1_000

/**
 * Makes each sampled reply of the judge model a draw of its doc: docs with the same prompt ask once each, and so does
 * a doc that asks the same twice. The sample index depends only on the doc's index and on the order of its own calls,
 * because docs are judged in the order in which their answers come.
 *
 * @param index the doc's index in its task
 * @param doc the doc, which is stored with its calls
 * @returns a function that throws if a sampled prompt names a sample beyond those of the doc
 */
export function askForDoc(ask: AskJudge, index: number, doc?: AskingDoc): AskJudge {
  if (ask === noJudge) return ask
  const asked = new Map<string, number>()
  const own = doc === undefined ? {} : { doc }
  return prompt => {
    if (!isPrompt(prompt)) return ask(prompt)
    if ((prompt.temperature ?? 0) === 0) return ask({ ...prompt, ...own })
    const { sample } = prompt
    if (sample !== undefined && !(Number.isInteger(sample) && sample >= 0 && sample < samplesADoc))
      throw new Error(`ask: sample must be below ${samplesADoc}, as a whole number from 0, not ${sample}`)
    const draw = sample ?? countUp(asked, prompt)
    return ask({ ...prompt, ...own, sample: index * samplesADoc + draw })
  }
}

/** Makes each judge model one that is asked on behalf of a doc. Metrics with the same judge share it. */
export function makeDocAsker(doc: AskingDoc): (judge: AskJudge) => AskJudge {
  const askers = new Map<AskJudge, AskJudge>()
  return judge => {
    const asker = askers.get(judge) ?? askForDoc(judge, doc.index, doc)
    askers.set(judge, asker)
    return asker
  }
}

/** Task code is not type-checked: a prompt of another form is left to the function that names what is wrong with it. */
const isPrompt = (prompt: JudgePrompt): boolean =>
  isObject(prompt as unknown as Json) && (prompt as Partial<JudgePrompt>).messages !== undefined

/** Returns how many equal prompts came before. */
function countUp(asked: Map<string, number>, { messages, temperature, maxTokens, schema }: JudgePrompt): number {
  const text = canonicalJson([messages, temperature ?? null, maxTokens ?? null, schema ?? null] as Parameters<
    typeof canonicalJson
  >[0])
  const before = asked.get(text) ?? 0
  addCount(asked, text)
  return before
}
