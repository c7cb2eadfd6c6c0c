import { stripWhiteSpace } from '../../base/white-space.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { text } from './options.js'
import { affixed } from './question.js'

/** The doc's question; where the model has words of its own around it, without those that ask for yes or no. */
export function withoutYesNoRequest(doc: Doc, kwargs: TaskKwargs): string {
  const asked = stripWhiteSpace(text(doc['question'], 'question'))
  const hasOwnWords = [kwargs['pre_prompt'], kwargs['post_prompt']].some(words => words !== undefined && words !== '')
  return affixed(hasOwnWords ? asked.replaceAll(' Please answer yes or no.', '') : asked, kwargs)
}
