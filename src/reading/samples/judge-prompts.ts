/** Finds the prompts of judge models that hold a doc's texts. */
import type { Sample, SampleItem } from '../../../cache/store.js'

/** Only so much of a prompt is searched. */
const longestPrompt = 20_000

interface Prompt<Call> {
  readonly call: Call
  readonly prompt: string
}

/** Prompts by their words. */
export interface PromptIndex<Call> {
  readonly prompts: readonly Prompt<Call>[]
  readonly byWord: ReadonlyMap<string, readonly number[]>
}

export const extractPromptText = ({ request }: SampleItem): string =>
  (request?.input.messages ?? [])
    .flatMap(({ content }) => content.flatMap(part => (part.type === 'text' ? [part.text] : [])))
    .join('\n')
    .slice(0, longestPrompt)

const extractWords = (text: string): Set<string> => new Set(text.match(/[\p{L}\p{N}]{4,40}/gu) ?? [])

export function indexPrompts<Call>(prompts: readonly Prompt<Call>[]): PromptIndex<Call> {
  const byWord = new Map<string, number[]>()
  for (const [number, { prompt }] of prompts.entries())
    for (const word of extractWords(prompt)) {
      const numbers = byWord.get(word)
      if (numbers === undefined) byWord.set(word, [number])
      else numbers.push(number)
    }
  return { prompts, byWord }
}

/** Finds the calls whose prompts contain the doc's answer and the most of its other texts. */
export function findByText<Call>(sample: Sample, index: PromptIndex<Call>): readonly Call[] {
  const answers = sample.items.flatMap(({ response }) => {
    const text = response?.body.text.trim() ?? ''
    return text === '' ? [] : [text]
  })
  const texts = listDocTexts(sample)
  const matches = listCandidates(`${answers.join('\n')}\n${texts.join('\n')}`, index).flatMap(({ call, prompt }) => {
    if (!answers.some(answer => prompt.includes(answer))) return []
    const shared = texts.filter(text => prompt.includes(text)).reduce((sum, text) => sum + text.length, 0)
    return shared === 0 ? [] : [{ call, shared }]
  })
  const most = Math.max(0, ...matches.map(({ shared }) => shared))
  return matches.filter(({ shared }) => 2 * shared >= most).map(({ call }) => call)
}

/** Lists the prompts that share the rarest known word with a text. */
function listCandidates<Call>(text: string, { prompts, byWord }: PromptIndex<Call>): readonly Prompt<Call>[] {
  let fewest: readonly number[] | undefined
  for (const word of extractWords(text)) {
    const numbers = byWord.get(word)
    if (numbers !== undefined && numbers.length < (fewest?.length ?? Infinity)) fewest = numbers
  }
  if (fewest === undefined) return prompts.length <= 2_000 ? prompts : []
  return fewest.flatMap(number => prompts[number] ?? [])
}

/** The doc's own texts that a judge's prompt may hold. */
function listDocTexts({ items, record }: Sample): readonly string[] {
  const question = items[0]?.request?.input.messages.findLast(({ role }) => role === 'user')
  const lines = (question?.content ?? []).flatMap(part => (part.type === 'text' ? part.text.split('\n') : []))
  const fields = Object.values(record.doc).filter(value => typeof value === 'string')
  const targets = Array.isArray(record.target) ? (record.target as unknown[]) : [record.target]
  const texts = [...lines, ...fields, ...targets.filter(target => typeof target === 'string')]
  return [...new Set(texts.map(text => text.trim()))].filter(text => text.length >= 2 && text.length <= longestPrompt)
}
