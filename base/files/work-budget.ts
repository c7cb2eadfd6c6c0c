/** Reading a file takes more work than a sound file of its kind does. A RangeError, as where a file ends too early: both mean a damaged file. */
export class WorkBudgetError extends RangeError {
  override readonly name = 'WorkBudgetError'
}

/** The most work that reading one file may take, whatever the file says. */
export interface WorkLimits {
  /** Records of the file that are looked at, such as chunks, boxes, elements and entries. */
  readonly steps: number
  /** Bytes that are made from the file, for example by inflating it. @default unlimited */
  readonly bytes?: number
}

/**
 * Counts the work of reading one file that others wrote. A small file can name the same bytes again and again, list records without content, or
 * inflate to a thousand times its size. Readers count each record and each byte that they make, so that a file costs at most its limits.
 */
export class WorkBudget {
  #steps: number
  #bytes: number

  constructor({ steps, bytes = Infinity }: WorkLimits) {
    this.#steps = steps
    this.#bytes = bytes
  }

  /** Takes one step. @returns false if none was left */
  tryStep(): boolean {
    this.#steps -= 1
    return this.#steps >= 0
  }

  /** @throws WorkBudgetError if no step was left */
  step(): void {
    if (!this.tryStep()) throw new WorkBudgetError('it has more parts than a file of its kind')
  }

  /** Counts bytes that are made. @throws WorkBudgetError if they are too many */
  produce(bytes: number): void {
    this.#bytes -= bytes
    if (this.#bytes < 0) throw new WorkBudgetError('its parts add up to more than a file of its size holds')
  }

  /** The bytes that may still be made. */
  get bytesLeft(): number {
    return Math.max(0, this.#bytes)
  }
}
