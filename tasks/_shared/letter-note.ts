import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { letter, text, texts } from './options.js'

/** The model's `pre_prompt` with the letters of the doc's choices in place of `{}`. */
export function letterNote(doc: Doc, kwargs: TaskKwargs): string {
  const letters = texts(doc['choices'], 'choices').map((_, index) => letter(index))
  return text(kwargs['pre_prompt'] ?? '', 'pre_prompt').replaceAll('{}', letters.join(', '))
}
