/** The part of `@cortex-js/compute-engine` that is used: its own declarations can't be resolved by Node's rules for ES modules. */
export interface Expression {
  readonly isValid: boolean
  /** Real and imaginary part, NaN or null where it is no number. */
  readonly re: number | null
  readonly im: number | null
  /** Evaluated in floating point. */
  N(): Expression
  /** Undefined where it can't be told. */
  isEqual(other: Expression): boolean | undefined
}

export class ComputeEngine {
  parse(latex: string): Expression
}
