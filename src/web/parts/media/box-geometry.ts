import type { Box } from '../../../present/page/data/index.js'

/** Computes a rectangle from corners, which may be in any order and outside of the picture. */
export function computeRectangle({ corners: [a, b, c, d] }: Pick<Box, 'corners'>) {
  const inside = (share: number): number => Math.min(1, Math.max(0, share))
  const x = inside(Math.min(a, c))
  const y = inside(Math.min(b, d))
  return { x, y, width: inside(Math.max(a, c)) - x, height: inside(Math.max(b, d)) - y }
}
