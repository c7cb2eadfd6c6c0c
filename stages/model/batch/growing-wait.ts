/** Milliseconds before the first look at a batch. */
const firstMs = 2_000
const growth = 1.5

/** How long to wait before the look number `looks` (from 0) when the waits may grow to `mostMs`. */
export const growingWait = (looks: number, mostMs: number): number => Math.min(mostMs, firstMs * growth ** looks)
