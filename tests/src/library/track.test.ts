import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate, track } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'
import { writeTextTask } from '../../support/text-task.js'

test('sends a run to a tracker once, and rejects an unknown tracker', async () => {
  const folder = await temporaryFolder()
  const store = join(folder, 'store')
  const tasks = [await writeTextTask(folder, 3)]
  const { run } = await evaluate({ store, model: 'dummy', tasks })
  const events = join(folder, 'events')
  expect(await track(run.name, { tensorboard: { dir: events } }, { store })).toMatchObject([
    { tracker: 'tensorboard', state: 'sent' },
  ])
  expect(existsSync(events) && (await readdir(events)).length).toBeGreaterThan(0)
  expect(await track('last', `tensorboard=${events}`, { store })).toMatchObject([{ state: 'unchanged' }])
  await expect(track('last', 'tensorbord=x', { store })).rejects.toThrow('Did you mean "tensorboard"?')
})
