/** Option letters: requested in prompts, extracted from answers, and scored. */
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { firstCharacter } from '../../stages/judge/helpers/multiple-choice.js'
import { readOption } from '../../stages/judge/helpers/options/read-option.js'
import { stripCharacter } from '../../stages/judge/text/code-points.js'
import { letter, text, texts } from './options.js'

/** The model's `pre_prompt`, with `{}` replaced by the letters of the doc's choices. */
export function letterNote(doc: Doc, kwargs: TaskKwargs): string {
  const letters = texts(doc['choices'], 'choices').map((_, index) => letter(index))
  return text(kwargs['pre_prompt'] ?? '', 'pre_prompt').replaceAll('{}', letters.join(', '))
}

/**
 * The letter, of the first `count` ones, that an answer names, or undefined, by the rules of the metric `option_letter`.
 * The scripts of several benchmarks take the first letter from A on, even that of a word: for them "Answer: B" is A. With
 * parity the result is that of `byScript`.
 */
export function namedLetter(
  answer: string,
  count: number,
  { parity, byScript }: Pick<ScoringContext, 'parity'> & { readonly byScript: (answer: string) => string | undefined },
): string | undefined {
  if (parity === 'lmms-eval') return byScript(answer)
  const found = readOption(answer, { count, choices: [] })
  return found.type === 'letter' ? found.letter : undefined
}

/**
 * The option, of the first `count` ones, whose letter starts an answer: `B` or `(b) blue`. The first letter of a
 * word counts too: "Both" is B.
 *
 * Source: lmms-eval 0.7.2, `tasks/blink/utils.py` and `tasks/cv_bench/utils.py`.
 */
export function firstLetter(answer: string, count: number): string | undefined {
  const [, found = ''] = /^[(\s]*([A-Z])/i.exec(stripWhiteSpace(answer)) ?? []
  const options = Array.from({ length: count }, (_, index) => letter(index))
  return options.find(option => option === found.toUpperCase())
}

/**
 * The first character, if it is a letter from A to D in any case.
 *
 * Source: lmms-eval 0.7.2, `tasks/seedbench/utils.py` and `tasks/seedbench_2_plus/utils.py`.
 */
export function firstOfFour(answer: string): string | undefined {
  const first = firstCharacter(answer).toUpperCase()
  return /^[A-D]$/.test(first) ? first : undefined
}

/**
 * The letter that an answer names, or undefined. `(B)` precedes `B` between spaces, which precedes `B.`. Of several
 * letters, the last one between spaces counts, or else the first.
 *
 *
 * Source: lmms-eval 0.7.2, `tasks/air_bench/utils.py` and `tasks/mmau/utils.py`, after MMMU's script. They choose a
 * random letter if none is named.
 */
export function spacedLetter(answer: string, letters: readonly string[]): string | undefined {
  const text = ` ${[',', '.', '!', '?', ';', ':', "'"].reduce(stripCharacter, answer)} `
  const forms = [(one: string) => `(${one})`, (one: string) => ` ${one} `, (one: string) => `${one}.`]
  const found = forms.map(form => letters.filter(one => text.includes(form(one)))).find(named => named.length > 0) ?? []
  const places = found.map(one => text.lastIndexOf(` ${one} `))
  return found[places.indexOf(Math.max(...places))]
}

/** 1 if the answer names the correct letter, else 0. An answer that names none is unparsed and counts 0. */
export const letterScore = (named: string | undefined, right: string): number | Verdict =>
  named === undefined ? unparsed('the answer names no option') : Number(named === right)
