import { stripCharacter } from '../../stages/judge/text/code-points.js'

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
