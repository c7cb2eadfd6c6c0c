import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
  appendFileSync,
  chmodSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ResponseKey } from '../../../cache/digest.js'
import { answerDigest } from '../../../cache/keys.js'
import { createRowSum } from '../../../cache/rows/sums.js'
import { AnswerSpill, type KeyedAnswer } from '../../../cache/waiting-answers/answer-spill.js'
import { findPlaces, listFiles } from '../../../cache/waiting-answers/places.js'
import { recoverAnswers } from '../../../cache/waiting-answers/read-answers.js'
import { temporaryFolder } from '../../support/store.js'

const owner = { host: 'h', boot: 'b', pid: 1, start: 's' }

function made(text: string): KeyedAnswer {
  const { key: digest, preimage: body } = answerDigest({ text, finishReason: 'stop' })
  return { key: `sha256:${text.repeat(64).slice(0, 64)}` as ResponseKey, digest, body, meta: '{}' }
}

async function scene() {
  const folder = join(await temporaryFolder(), 'waiting-answers')
  const places = findPlaces(folder, folder)
  onTestFinished(() => rmSync(places[1]!.folder, { recursive: true, force: true }))
  const sum = await createRowSum()
  const stored: string[] = []
  const receiver = {
    sum,
    isAlive: () => Promise.resolve(true),
    store: (answers: readonly KeyedAnswer[]) => Promise.resolve(answers.map(({ body }) => stored.push(body)).length),
    findRun: () => Promise.resolve(undefined),
    keep: () => Promise.resolve(),
  }
  return { folder, places, stored, receiver, spill: () => new AnswerSpill(places, { owner: () => owner, sum }) }
}

test('answers that were not stored at the end of a process go to the next one, though the process lives', async () => {
  const { folder, places, stored, receiver, spill } = await scene()
  const first = spill()
  const range = first.append(made('a'))
  first.append(made('b'))
  first.forget(range)
  expect(await recoverAnswers(places, receiver)).toBe(0)
  first.close()
  expect(await recoverAnswers(places, receiver)).toBe(2)
  expect(stored).toEqual([made('a').body, made('b').body])
  expect(readdirSync(folder)).toEqual([])
})

test('a folder that cannot be written leaves the answers to the temporary folder of this user', async () => {
  const { folder, places, stored, receiver, spill } = await scene()
  mkdirSync(join(folder, '..'), { recursive: true })
  writeFileSync(folder, 'a file is where the folder should be')
  const first = spill()
  expect(first.read(first.append(made('a')))).toMatchObject(made('a'))
  expect(readFileSync(listFiles(places[1]!)[0]!, 'utf8')).toContain(made('a').digest)
  first.close()
  expect(await recoverAnswers(places, receiver)).toBe(1)
  expect(stored).toEqual([made('a').body])
  expect(existsSync(places[1]!.folder)).toBe(false)
})

test('answers in a temporary folder that others may write are not taken', async () => {
  const { folder, places, receiver, spill } = await scene()
  writeFileSync(folder, '')
  const first = spill()
  first.append(made('a'))
  first.close()
  chmodSync(places[1]!.folder, 0o777)
  expect(await recoverAnswers(places, receiver)).toBe(0)
  expect(places[1]!.folder.startsWith(tmpdir())).toBe(true)
})

test('lines that were cut off or changed are skipped', async () => {
  const { folder, places, stored, receiver, spill } = await scene()
  const first = spill()
  for (const text of ['a', 'b', 'c']) first.append(made(text))
  first.close()
  const file = join(folder, readdirSync(folder)[0]!)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"body":"[^}]*b[^}]*}"/, '"body":"{}"'))
  appendFileSync(file, '{"key":"sha256:')
  expect(await recoverAnswers(places, receiver)).toBe(2)
  expect(stored).toEqual([made('a').body, made('c').body])
})

test('no place at all is told by the first error', async () => {
  const { folder, places, spill } = await scene()
  writeFileSync(folder, '')
  writeFileSync(places[1]!.folder, '')
  expect(() => spill().append(made('a'))).toThrow(/waiting-answers/)
})
