/**
 * Programs whose published numbers can be reproduced, even where those numbers are known to be wrong. Without
 * parity, every value follows the benchmark's definition. `docs/parity.md` lists what it changes and what it can't.
 */
export const parities = ['lmms-eval'] as const

export type Parity = (typeof parities)[number]
