/** Letters of options: asked for, found in answers, and scored. */
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { stripCharacter } from '../../stages/judge/text/code-points.js'
import { letter, text, texts } from './options.js'

/** The model's `pre_prompt` with the letters of the doc's choices in place of `{}`. */
export function letterNote(doc: Doc, kwargs: TaskKwargs): string {
  const letters = texts(doc['choices'], 'choices').map((_, index) => letter(index))
  return text(kwargs['pre_prompt'] ?? '', 'pre_prompt').replaceAll('{}', letters.join(', '))
}

/**
 * The option, of the first `count` ones, whose letter an answer begins with: `B`, `(b) blue`, and also the first letter of a word ("Both"
 * is B), as the scripts of BLINK and CV-Bench have it.
 */
export function firstLetter(answer: string, count: number): string | undefined {
  const [, found = ''] = /^[(\s]*([A-Z])/i.exec(stripWhiteSpace(answer)) ?? []
  const options = Array.from({ length: count }, (_, index) => letter(index))
  return options.find(option => option === found.toUpperCase())
}

/**
 * The letter that an answer names, or undefined: `(B)` goes before `B` between spaces before `B.`; of several the one holds that stands
 * last between spaces, or else the first.
 *
 * Source: lmms-eval 0.7.2, `tasks/air_bench/utils.py` and `tasks/mmau/utils.py`, after MMMU's script; they draw a letter where this says
 * nothing.
 */
export function spacedLetter(answer: string, letters: readonly string[]): string | undefined {
  const text = ` ${[',', '.', '!', '?', ';', ':', "'"].reduce(stripCharacter, answer)} `
  const forms = [(one: string) => `(${one})`, (one: string) => ` ${one} `, (one: string) => `${one}.`]
  const found = forms.map(form => letters.filter(one => text.includes(form(one)))).find(named => named.length > 0) ?? []
  const places = found.map(one => text.lastIndexOf(` ${one} `))
  return found[places.indexOf(Math.max(...places))]
}

/** 1 where the letter that the answer names is the right one, else 0; an answer that names none is wrong, and told as unparsed. */
export const letterScore = (named: string | undefined, right: string): number | Verdict =>
  named === undefined ? unparsed('the answer names no option') : Number(named === right)
