import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { text } from './options.js'

/** A question between the `pre_prompt` and the `post_prompt` of the model, where it has any. */
export function affixed(question: string, kwargs: TaskKwargs): string {
  const affix = (key: string): string => text(kwargs[key] ?? '', key)
  return `${affix('pre_prompt')}${question}${affix('post_prompt')}`
}

/** The doc's `question` as it is, between the same. */
export const question = (doc: Doc, kwargs: TaskKwargs): string => affixed(text(doc['question'], 'question'), kwargs)

/** What every picture is shown with: the `prompt` of the model. */
export const captionPrompt = (_doc: Doc, kwargs: TaskKwargs): string => text(kwargs['prompt'], 'prompt')

/** The doc's question; where the model has words of its own around it, without those that ask for yes or no. */
export function withoutYesNoRequest(doc: Doc, kwargs: TaskKwargs): string {
  const asked = stripWhiteSpace(text(doc['question'], 'question'))
  const hasOwnWords = [kwargs['pre_prompt'], kwargs['post_prompt']].some(words => words !== undefined && words !== '')
  return affixed(hasOwnWords ? asked.replaceAll(' Please answer yes or no.', '') : asked, kwargs)
}

/** The first character in title case and all others in lower case, as Python's `str.capitalize`: `ßa` is `Ssa`, `ǆa` is `ǅa`. */
export function capitalised(text: string): string {
  const [first = ''] = text
  return titleCase(first) + text.slice(first.length).toLowerCase()
}

/** Letters of two have a form of their own, ligatures and sharp s a capital at their head, and Georgian has capitals for whole words alone. */
function titleCase(character: string): string {
  const ofTwo = /^[\u01c4-\u01cc\u01f1-\u01f3]$/.test(character)
  if (ofTwo) return titleForms[character.toLowerCase()] ?? character
  if (/^\p{Script=Georgian}$/u.test(character)) return character
  const [head = '', ...others] = character.toUpperCase()
  return head + others.join('').toLowerCase()
}

const titleForms: Readonly<Record<string, string>> = { ǆ: 'ǅ', ǉ: 'ǈ', ǌ: 'ǋ', ǳ: 'ǲ' }
