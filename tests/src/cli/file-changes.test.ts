import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { watchFiles } from '../../../src/cli/file-changes.js'
import { temporaryFolder } from '../../support/store.js'

/** A clock whose delays are over at once. */
const hastyClock = {
  now: () => 0,
  wallNow: () => 0,
  after(_: number, action: () => void) {
    const timer = setImmediate(action)
    return () => {
      clearImmediate(timer)
    }
  },
}

async function scene() {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'data/deep'), { recursive: true })
  await mkdir(join(folder, '.pipeline'))
  await writeFile(join(folder, 'q.yaml'), '')
  const changes = watchFiles(hastyClock)
  onTestFinished(() => {
    changes.close()
  })
  return { folder, changes }
}

test('reports the changed file below a folder', async () => {
  const { folder, changes } = await scene()
  changes.follow([folder])
  const next = changes.next()
  await writeFile(join(folder, 'data/deep/docs.jsonl'), '{}\n')
  expect(await next).toEqual([join(folder, 'data/deep/docs.jsonl')])
})

test('watches the folder of a file, and keeps a change that comes before `next`', async () => {
  const { folder, changes } = await scene()
  changes.follow([join(folder, 'q.yaml')])
  const first = changes.next()
  await writeFile(join(folder, 'utils.ts'), '1')
  expect(await first).toEqual([join(folder, 'utils.ts')])
  await writeFile(join(folder, '.pipeline/store'), '1')
  await writeFile(join(folder, 'q.yaml'), 'task: q')
  expect(await changes.next()).toContain(join(folder, 'q.yaml'))
})

test('the wait ends when the watcher is closed', async () => {
  const { changes } = await scene()
  const next = changes.next()
  changes.close()
  expect(await next).toBeUndefined()
})

test('leaves out folders that the evaluation writes itself', async () => {
  const { folder, changes } = await scene()
  await mkdir(join(folder, 'store'))
  changes.follow([folder], [join(folder, 'store')])
  const next = changes.next()
  await writeFile(join(folder, 'store/store.sqlite'), '1')
  await writeFile(join(folder, 'data/docs.jsonl'), '{}\n')
  expect(await next).toEqual([join(folder, 'data/docs.jsonl')])
})

test('tells an edit of rules or code at once, and no other change', async () => {
  const { folder, changes } = await scene()
  changes.follow([folder])
  const edit = changes.nextEdit()
  await writeFile(join(folder, 'log.txt'), '1')
  await changes.next()
  expect(edit.aborted).toBe(false)
  await writeFile(join(folder, 'utils.py'), '1')
  await changes.next()
  expect(edit.aborted).toBe(true)
  expect(changes.nextEdit().aborted).toBe(false)
})
