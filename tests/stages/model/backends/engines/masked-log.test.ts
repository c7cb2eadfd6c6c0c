import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { logTail } from '../../../../../stages/model/backends/engines/launch-engine.js'
import { MaskedLog } from '../../../../../stages/model/backends/engines/masked-log.js'
import { temporaryFolder } from '../../../../support/store.js'

async function logged(pieces: readonly string[], secrets: readonly string[] = []): Promise<string> {
  const path = join(await temporaryFolder(), 'logs/engine.log')
  const log = new MaskedLog(path, secrets, error => {
    throw error
  })
  const output = new PassThrough()
  log.follow(output)
  for (const piece of pieces) output.write(piece)
  output.end()
  await new Promise(resolve => output.once('close', resolve))
  await log.close()
  return path
}

test('masks a secret wherever it is, even if it arrives in two chunks', async () => {
  const path = await logged(['key=sk-12', '3456 ok\nagain sk-123456', '\n'], ['sk-123456'])
  expect(await readFile(path, 'utf8')).toBe('key=*** ok\nagain ***\n')
})

test('records the text after the last line break, too', async () => {
  const path = await logged(['one\r\ntwo\rthr', 'ee'])
  expect(await readFile(path, 'utf8')).toBe('one\r\ntwo\rthree')
})

test('the tail of a log has its last lines, each shortened to a readable length', async () => {
  const path = await logged(Array.from({ length: 40 }, (_, index) => `line ${index} ${'x'.repeat(400)}\n`))
  const tail = await logTail(path)
  expect(tail).toHaveLength(15)
  expect(tail.at(-1)).toMatch(/^line 39 x{292}…$/)
  expect(await logTail(join(path, '../none.log'))).toEqual([])
})
