import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { letter, lettered, text, texts } from '../_shared/options.js'

/** The question with its options, in the form that the model was trained on. */
export function question(doc: Doc, kwargs: TaskKwargs): string {
  const [asked, options] = [text(doc['question'], 'question'), texts(doc['options'], 'options')]
  const [before, after] = [text(kwargs['pre_prompt'], 'pre_prompt'), text(kwargs['post_prompt'], 'post_prompt')]
  switch (kwargs['prompt_format']) {
    case 'qa':
      return `${before}${asked}${options.join('\n')}${after}`
    case 'mcq_xcomposer':
      return `${before}${asked}\nContext: N/A\n${lettered(options).join(' ')}${after}`
    default:
      return `${before}${asked}\n${lettered(options).join('\n')}${after}`
  }
}

/** The letter of the right option, or its text where the options have no letters. */
export function rightAnswer(doc: Doc, kwargs: TaskKwargs): string {
  const index = Number(doc['answer'])
  if (kwargs['prompt_format'] === 'qa') return text(texts(doc['options'], 'options')[index], 'options')
  return letter(index)
}

/** `B. teal` is B; any other answer stays as it is. */
export const leadingLetter = (answers: readonly string[]): readonly string[] =>
  answers.map(answer => /^\s*([A-Z])\./.exec(answer)?.[1] ?? answer)
