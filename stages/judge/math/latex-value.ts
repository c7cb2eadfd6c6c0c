import { ComputeEngine, type Expression } from '@cortex-js/compute-engine'

let engine: ComputeEngine | undefined

/**
 * The real number that a LaTeX expression stands for: `\frac{3}{4}` is 0.75, `3\sqrt{2}` 4.2426…; undefined where it has free
 * variables, units, several parts, or is no expression. Angles are radians.
 *
 * Source: the Compute Engine of CortexJS (https://cortexjs.io/compute-engine), which parses and evaluates.
 */
export function latexValue(latex: string): number | undefined {
  const value = valueOf(parse(latex))
  return value?.im === 0 ? value.re : undefined
}

/** Where the variables of two expressions are compared: their order does not matter, and no simple relation holds between them. */
const points = [0.7310585786, 1.3194732921, 2.1637829407, 3.4142135624]

/** Whether two expressions have the same variables, and the same values wherever these were tried. */
export function isSameExpression(one: string, other: string): boolean {
  const [left, right] = [parse(one), parse(other)]
  if (left === undefined || right === undefined) return false
  const names = [...new Set([...left.unknowns, ...right.unknowns])].sort()
  return points.every((_, shift) => {
    const values = Object.fromEntries(names.map((name, index) => [name, points[(index + shift) % points.length] ?? 1]))
    const [a, b] = [left, right].map(expression => valueOf(withValues(expression, values)))
    return a !== undefined && b !== undefined && isNear(a.re, b.re) && isNear(a.im, b.im)
  })
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))

const withValues = (expression: Expression, values: Readonly<Record<string, number>>): Expression =>
  Object.keys(values).length === 0 ? expression : expression.subs(values)

function parse(latex: string): Expression | undefined {
  if (latex.trim() === '') return undefined
  engine ??= new ComputeEngine()
  const expression = engine.parse(latex)
  return expression.isValid ? expression : undefined
}

function valueOf(expression: Expression | undefined): { readonly re: number; readonly im: number } | undefined {
  try {
    const { re, im } = expression?.N() ?? { re: null, im: null }
    return re !== null && im !== null && Number.isFinite(re) ? { re, im } : undefined
  } catch {
    // It throws at some texts that are no expressions, such as a tuple with a unit.
    return undefined
  }
}
