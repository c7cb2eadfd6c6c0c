import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BufferPool, pooledSize } from '../../../base/collections/buffer-pool.js'

const kilobyte = 1024

test('a returned buffer is reused for a request of nearly the same size', async () => {
  const pool = new BufferPool(64 * kilobyte)
  const first = await pool.take(5_000)
  pool.giveBack(first)
  expect(await pool.take(8_000)).toBe(first)
  expect(await pool.take(8_000)).not.toBe(first)
})

test('callers wait while no buffer is free and are served in the order of their requests', async () => {
  const pool = new BufferPool(16 * kilobyte)
  const out = [await pool.take(8 * kilobyte), await pool.take(8 * kilobyte)]
  const order: string[] = []
  const large = pool.take(16 * kilobyte).then(buffer => (order.push('large'), buffer))
  const small = pool.take(4 * kilobyte).then(() => order.push('small'))
  pool.giveBack(out[0]!)
  // There would be room for the small one.
  await Promise.resolve()
  expect(order).toEqual([])
  pool.giveBack(out[1]!)
  pool.giveBack(await large)
  await small
  expect(order).toEqual(['large', 'small'])
})

test('grants a single buffer even if it exceeds the limit', async () => {
  const pool = new BufferPool(kilobyte)
  const buffer = await pool.take(1_000 * kilobyte)
  expect(buffer.length).toBeGreaterThanOrEqual(1_000 * kilobyte)
})

test('never lends more bytes than allowed, lends no buffer twice, and serves every caller in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 40 }), async sizes => {
      const limit = 32 * kilobyte
      const pool = new BufferPool(limit)
      const out = new Set<Buffer>()
      await Promise.all(
        sizes.map(async size => {
          const buffer = await pool.take(size)
          expect(out.has(buffer)).toBe(false)
          expect(buffer.length).toBe(pooledSize(size))
          out.add(buffer)
          const bytes = [...out].reduce((sum, { length }) => sum + length, 0)
          expect(bytes <= limit || out.size === 1).toBe(true)
          await Promise.resolve()
          out.delete(buffer)
          pool.giveBack(buffer)
        }),
      )
    }),
  )
})
