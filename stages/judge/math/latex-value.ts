import { ComputeEngine } from '@cortex-js/compute-engine'

let engine: ComputeEngine | undefined

/**
 * The real number that a LaTeX expression stands for: `\frac{3}{4}` is 0.75, `3\sqrt{2}` 4.2426…; undefined where it has free
 * variables, units, several parts, or is no expression. Angles are radians.
 *
 * Source: the Compute Engine of CortexJS (https://cortexjs.io/compute-engine), which parses and evaluates.
 */
export function latexValue(latex: string): number | undefined {
  if (latex.trim() === '') return undefined
  engine ??= new ComputeEngine()
  try {
    const expression = engine.parse(latex)
    const { re, im } = expression.isValid ? expression.N() : { re: null, im: null }
    return re !== null && Number.isFinite(re) && im === 0 ? re : undefined
  } catch {
    // It throws at some texts that are no expressions, such as a tuple with a unit.
    return undefined
  }
}
