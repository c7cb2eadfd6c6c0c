import { pythonRandom } from '../../base/python/python-random.js'
import { sha256 } from '../../cache/digest.js'

/**
 * Shuffled options and the new index of the correct one. The order depends only on the question's id, so it is the
 * same in each run.
 */
interface Drawn {
  readonly options: readonly string[]
  readonly right: number
}

export function optionsByChance(id: string, options: readonly string[], right: number): Drawn {
  if (options[right] === undefined)
    throw new Error(`of ${options.length} options number ${right + 1} can't be the right one`)
  const seed = Number.parseInt(sha256<'file'>(id).replace('sha256:', '').slice(0, 8), 16)
  const order = pythonRandom(seed).shuffled(options.map((_, index) => index))
  return { options: order.map(index => options[index] ?? ''), right: order.indexOf(right) }
}
