import { expect, test } from 'vitest'
import { WorkBudgetError } from '../../base/files/work-budget.js'
import { openZstandard, unzstandard } from '../../base/files/zstandard.js'

/** A frame whose blocks of four bytes each become 128 KB of the same byte. Source: RFC 8878, sections 3.1.1 and 3.1.1.2. */
function laboriousFrame(blocks: number): Buffer {
  const head = Buffer.from('28b52ffd' + '00' + '38', 'hex')
  const size = 128 * 1024
  const body = Array.from({ length: blocks }, (_, index) => {
    const block = Buffer.alloc(4)
    block.writeUIntLE((size << 3) | (1 << 1) | (index === blocks - 1 ? 1 : 0), 0, 3)
    block[3] = 0x61
    return block
  })
  return Buffer.concat([head, ...body])
}

async function* onePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes)
}

test('a piece of a stream becomes many pieces, which are passed on before the next are made', async () => {
  let [bytes, largest] = [0, 0]
  for await (const piece of unzstandard(onePiece(laboriousFrame(4_000)))) {
    bytes += piece.length
    largest = Math.max(largest, piece.length)
    if (bytes > 100 * 2 ** 20) break
  }
  expect(bytes).toBeGreaterThan(100 * 2 ** 20)
  expect(largest).toBeLessThanOrEqual(64 * 2 ** 20)
})

test('bytes that become more than the limit are refused', async () => {
  const decompress = await openZstandard()
  expect(decompress(laboriousFrame(10), 2 ** 21)).toHaveLength(10 * 128 * 1024)
  expect(() => decompress(laboriousFrame(1_000), 2 ** 21)).toThrow(WorkBudgetError)
  expect(() => decompress(Buffer.from('no frame at all'), 2 ** 21)).toThrow()
  expect(() => decompress(laboriousFrame(10).subarray(0, -4), 2 ** 21)).toThrow()
})
