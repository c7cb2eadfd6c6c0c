import { didYouMean } from '../../../../base/suggest.js'
import { Missing, type Value } from './values.js'

/** Names within a part of a template. */
export class Scope {
  readonly #values = new Map<string, Value>()
  readonly #around: Scope | undefined
  readonly #columns: readonly string[]

  /** `columns` are those of the doc, for messages. */
  constructor(around: Scope | undefined, columns: readonly string[] = []) {
    this.#around = around
    this.#columns = around === undefined ? columns : around.#columns
  }

  /** `undefined` where there is no such name here or around. */
  get(name: string): Value | undefined {
    const value = this.#values.get(name)
    return value === undefined ? this.#around?.get(name) : value
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value)
  }

  missing(name: string): Missing {
    return new Missing(
      `"${name}" is not there (the doc has ${this.#columns.join(', ')}).${didYouMean(name, this.#columns)}`,
    )
  }
}
