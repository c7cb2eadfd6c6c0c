import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { text } from './options.js'

/** A question between the `pre_prompt` and the `post_prompt` of the model, if it has any. */
export function affixed(question: string, kwargs: TaskKwargs): string {
  const affix = (key: string): string => text(kwargs[key] ?? '', key)
  return `${affix('pre_prompt')}${question}${affix('post_prompt')}`
}

/** The doc's unchanged `question`, between `pre_prompt` and `post_prompt`. */
export const question = (doc: Doc, kwargs: TaskKwargs): string => affixed(text(doc['question'], 'question'), kwargs)

/** The `prompt` of the model, which is the same for every image. */
export const captionPrompt = (_doc: Doc, kwargs: TaskKwargs): string => text(kwargs['prompt'], 'prompt')

/** The doc's question. If the model has a `pre_prompt` or `post_prompt`, the request to answer yes or no is removed. */
export function withoutYesNoRequest(doc: Doc, kwargs: TaskKwargs): string {
  const asked = stripWhiteSpace(text(doc['question'], 'question'))
  const hasOwnWords = [kwargs['pre_prompt'], kwargs['post_prompt']].some(words => words !== undefined && words !== '')
  return affixed(hasOwnWords ? asked.replaceAll(' Please answer yes or no.', '') : asked, kwargs)
}

/**
 * Converts the first character to title case and all others to lower case, like Python's `str.capitalize`: `ßa`
 * becomes `Ssa`, `ǆa` becomes `ǅa`.
 */
export function capitalised(text: string): string {
  const [first = ''] = text
  return titleCase(first) + text.slice(first.length).toLowerCase()
}

/**
 * The title case of a character. Digraphs such as `ǆ` have a title-case letter of their own. Ligatures and sharp s
 * become a capital and small letters. Georgian letters stay unchanged.
 */
function titleCase(character: string): string {
  const ofTwo = /^[\u01c4-\u01cc\u01f1-\u01f3]$/.test(character)
  if (ofTwo) return titleForms[character.toLowerCase()] ?? character
  if (/^\p{Script=Georgian}$/u.test(character)) return character
  const [head = '', ...others] = character.toUpperCase()
  return head + others.join('').toLowerCase()
}

const titleForms: Readonly<Record<string, string>> = { ǆ: 'ǅ', ǉ: 'ǈ', ǌ: 'ǋ', ǳ: 'ǲ' }
