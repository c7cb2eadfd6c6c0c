/** Reads the reason that an assertion stored. Undefined for a value that a filter extracted. */
export function readStatedReason(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { reason, ...others } = value as Readonly<Record<string, unknown>>
  return typeof reason === 'string' && Object.keys(others).length === 0 ? reason : undefined
}
