import type { JsonObject } from '../../cache/records.js'
import { inferAnswer, inferOption } from '../../stages/judge/helpers/benchmarks/mmbench.js'
import type { Parity } from '../../stages/judge/define/parity.js'
import { optionsOf } from './options.js'

/**
 * The option that an answer names by its letter, or else by its words. lmms-eval also finds an option that is not there, and is written
 * as `nan`, within words such as "banana".
 */
export function inferredOption(answer: string, doc: JsonObject, parity: Parity | undefined): string | undefined {
  if (parity === undefined) return inferAnswer(answer, optionsOf(doc))
  const named = inferOption(answer)
  if (named !== undefined) return named
  const found = ['A', 'B', 'C', 'D'].filter(letter => {
    const option = doc[letter]
    return typeof option === 'string' && answer.toLowerCase().includes(option.toLowerCase())
  })
  return found.length === 1 ? found[0] : undefined
}
