import type { Options } from '../../stages/judge/helpers/benchmarks/mmbench.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import { text } from '../_shared/options.js'

/** The options that the doc has, by letter. Some tables write `nan` for one that is not there. */
export function optionsOf(doc: Doc): Options {
  const given = ['A', 'B', 'C', 'D', 'E'].map(letter => [letter, text(doc[letter] ?? '', letter)] as const)
  return Object.fromEntries(given.filter(([, option]) => option !== '' && option !== 'nan'))
}
