/** The part of `@cortex-js/compute-engine` that is used: its own declarations can't be resolved by Node's rules for ES modules. */
export interface Expression {
  readonly isValid: boolean
  /** The function that it is a call of, or what kind of thing: `Add`, `Tuple`, `Number`, `Symbol`. */
  readonly head: string
  /** The arguments of a call. */
  readonly ops: readonly Expression[] | null
  /** Real and imaginary part, NaN or null where it is no number. */
  readonly re: number | null
  readonly im: number | null
  /** The names of its variables. */
  readonly unknowns: readonly string[]
  /** Evaluated in floating point. */
  N(): Expression
  simplify(): Expression
  /** With its variables replaced. */
  subs(values: Readonly<Record<string, number>>): Expression
  /** Undefined where it can't be told. */
  isEqual(other: Expression): boolean | undefined
}

export class ComputeEngine {
  parse(latex: string): Expression
}
