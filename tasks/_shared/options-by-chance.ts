import { pythonRandom } from '../../base/python/python-random.js'
import { sha256 } from '../../cache/digest.js'

/** Options in another order, drawn by the question's id and so the same in each run, and where the right one now is. */
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
