import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { text } from './options.js'

/** A question between the `pre_prompt` and the `post_prompt` of the model, where it has any. */
export function affixed(question: string, kwargs: TaskKwargs): string {
  const affix = (key: string): string => text(kwargs[key] ?? '', key)
  return `${affix('pre_prompt')}${question}${affix('post_prompt')}`
}

/** The doc's `question` as it is, between the same. */
export const question = (doc: Doc, kwargs: TaskKwargs): string => affixed(text(doc['question'], 'question'), kwargs)
