/** Functions of a task that is written in code have no exports of their own: the exported task offers them by name. */
export const offeredFunctions: unique symbol = Symbol.for('pipeline.functions')

export type Callee = (...args: readonly unknown[]) => unknown

/** The function of this name that a module exports, or that one of its exports offers. */
export function functionIn(module: Readonly<Record<string, unknown>>, name: string): Callee | undefined {
  const own = module[name]
  if (typeof own === 'function') return own as Callee
  for (const value of Object.values(module).flat()) {
    if (typeof value !== 'object' || value === null || !(offeredFunctions in value)) continue
    const offered = value[offeredFunctions] as Readonly<Record<string, Callee>>
    const found = Object.hasOwn(offered, name) ? offered[name] : undefined
    if (found !== undefined) return found
  }
  return undefined
}
