import type { Json } from '../../base/values/canonical-json.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { scoreLetteredChoice } from '../_shared/lettered-choice.js'
import { letterNote } from '../_shared/letters.js'
import { text, texts } from '../_shared/options.js'

/** The doc's own prompt, after the note on letters. */
export const prompt = (doc: Doc, kwargs: TaskKwargs): string =>
  `${letterNote(doc, kwargs)}${text(doc['prompt'], 'prompt')}`

/** The pictures that the doc has, of `image_1` and so on. */
export const pictures = (doc: Doc): readonly unknown[] =>
  Object.entries(doc)
    .flatMap(([name, picture]) => (/^image_\d+$/.test(name) ? [picture ?? []] : []))
    .flat()

/** Puts all pictures before the prompt. With `prompt_format: neo_ov` each picture has its number. */
export function messages(doc: Doc, kwargs: TaskKwargs): unknown {
  const images = pictures(doc).map(image => ({ type: 'image', image }))
  if (kwargs['prompt_format'] !== 'neo_ov')
    return [{ role: 'user', content: [...images, { type: 'text', text: prompt(doc, kwargs) }] }]
  const numbered = images.flatMap((image, index) => [{ type: 'text', text: `Image-${index + 1}: ` }, image])
  const shown = images.length === 1 ? images : numbered
  return [{ role: 'user', content: [...shown, { type: 'text', text: directPrompt(doc) }] }]
}

/** The doc's prompt without its marks for pictures, or, where it has none, its question and choices. */
function directPrompt(doc: Doc): string {
  const request = "Answer with the option's letter from the given choices directly."
  const given = text(doc['prompt'] ?? '', 'prompt')
  if (given !== '') return `${withoutMarks(given)}\n${request}`
  const hint = doc['hint'] === undefined || doc['hint'] === null ? [] : [text(doc['hint'], 'hint')]
  const choices = texts(doc['choices'], 'choices').map(
    (choice, index) => `${String.fromCharCode(65 + index)}. ${choice}`,
  )
  const lines = [...hint, withoutMarks(text(doc['question'], 'question')), ...choices]
  return [...lines, choices.length > 0 ? request : 'Answer the question directly.'].join('\n')
}

const withoutMarks = (words: string): string => stripWhiteSpace(words.replaceAll('<image>', ''))

/** 1 where the answer names the right option. */
export const score = (
  doc: JsonObject,
  [answer]: readonly Json[],
  context: Pick<ScoringContext, 'parity'> = {},
): Record<string, number | Verdict> => ({ blink_acc: scoreLetteredChoice(doc, answer, context) })
