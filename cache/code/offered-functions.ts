/** The property with the functions of a task defined in code, by name. They are not exports. */
export const offeredFunctions: unique symbol = Symbol.for('pipeline.functions')

export type Callee = (...args: readonly unknown[]) => unknown

/** Finds a function by name, among a module's exports and the functions that an export offers. */
export function functionIn(module: Readonly<Record<string, unknown>>, name: string): Callee | undefined {
  const own = module[name]
  if (typeof own === 'function') return own as Callee
  for (const value of Object.values(module).flat()) {
    if (typeof value !== 'object' || value === null || !(offeredFunctions in value)) continue
    const offered = value[offeredFunctions] as Readonly<Record<string, Callee>>
    const callee = Object.hasOwn(offered, name) ? offered[name] : undefined
    if (callee !== undefined) return callee
  }
  return undefined
}
