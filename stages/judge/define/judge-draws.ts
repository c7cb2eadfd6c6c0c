import { addCount } from '../../../base/collections/counts.js'
import { canonicalJson, isObject, type Json } from '../../../base/values/canonical-json.js'
import { noJudge, type AskingDoc, type AskJudge, type JudgePrompt } from './judge-model.js'

/** The sample indices that each doc has for itself. */
const samplesADoc = 1_000

/**
 * Gives each sampled judge call of a doc a separate draw, even if prompts are equal. The sample index depends only on the doc's index and the order
 * of the doc's calls. The order in which docs are judged varies, so it must not matter.
 *
 * @param index the doc's index in its task
 * @param doc the doc, which is stored with its calls
 * @returns a function that throws if a sampled prompt names a sample index outside of the doc's range
 */
export function askForDoc(ask: AskJudge, index: number, doc?: AskingDoc): AskJudge {
  if (ask === noJudge) return ask
  const promptCounts = new Map<string, number>()
  const own = doc === undefined ? {} : { doc }
  return prompt => {
    if (!isPrompt(prompt)) return ask(prompt)
    if ((prompt.temperature ?? 0) === 0) return ask({ ...prompt, ...own })
    const { sample } = prompt
    if (sample !== undefined && !(Number.isInteger(sample) && sample >= 0 && sample < samplesADoc))
      throw new Error(`ask: sample must be below ${samplesADoc}, as a whole number from 0, not ${sample}`)
    const draw = sample ?? countUp(promptCounts, prompt)
    return ask({ ...prompt, ...own, sample: index * samplesADoc + draw })
  }
}

/** Makes a function that binds judge models to a doc. Metrics with the same judge share the bound one. */
export function makeDocAsker(doc: AskingDoc): (judge: AskJudge) => AskJudge {
  const askers = new Map<AskJudge, AskJudge>()
  return judge => {
    const asker = askers.get(judge) ?? askForDoc(judge, doc.index, doc)
    askers.set(judge, asker)
    return asker
  }
}

/** Tells whether a value has the form of a prompt, because task code is not type-checked. Another function reports the mistake. */
const isPrompt = (prompt: JudgePrompt): boolean =>
  isObject(prompt as unknown as Json) && (prompt as Partial<JudgePrompt>).messages !== undefined

/** Returns how many equal prompts came before. */
function countUp(promptCounts: Map<string, number>, { messages, temperature, maxTokens, schema }: JudgePrompt): number {
  const text = canonicalJson([messages, temperature ?? null, maxTokens ?? null, schema ?? null] as Parameters<
    typeof canonicalJson
  >[0])
  const before = promptCounts.get(text) ?? 0
  addCount(promptCounts, text)
  return before
}
