import type { DocPlace } from '../../store.js'
import type { Columns } from './columns.js'

const perTask = 2 ** 32

/** Numbers a place. The number is stable while a run grows, and ascends in the order of a run. */
export const placeNumber = ({ task, index }: DocPlace): number => task * perTask + index

/** Finds positions by place. The columns are sorted by place. */
export class Places {
  readonly #columns: Columns

  constructor(columns: Columns) {
    this.#columns = columns
  }

  /** @returns -1 if the columns do not have the sample */
  position(place: DocPlace): number {
    return this.positionOf(placeNumber(place), -1)
  }

  /**
   * @param number the place's number
   * @param guess a position to try first
   * @returns -1 if the columns do not have the sample
   */
  positionOf(number: number, guess: number): number {
    const { length } = this.#columns
    if (guess >= 0 && guess < length && this.#numberAt(guess) === number) return guess
    let low = 0
    let high = length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#numberAt(middle) < number) low = middle + 1
      else high = middle
    }
    return low < length && this.#numberAt(low) === number ? low : -1
  }

  at(position: number): DocPlace {
    const { task, index } = this.#columns.columns
    return { task: task[position] ?? 0, index: index[position] ?? 0 }
  }

  #numberAt(position: number): number {
    const { task, index } = this.#columns.columns
    return (task[position] ?? 0) * perTask + (index[position] ?? 0)
  }
}
