/**
 * Whose numbers are wanted where they are known to be wrong: only for comparison with what was published. Without it every value is by the
 * benchmark's own definition. What it switches, and what it can't, stands in `docs/parity.md`.
 */
export const parities = ['lmms-eval'] as const

export type Parity = (typeof parities)[number]
