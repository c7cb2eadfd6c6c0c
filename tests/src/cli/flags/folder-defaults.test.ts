import { Command } from 'commander'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addFolderDefaults } from '../../../../src/cli/flags/folder-defaults.js'
import { withExtensions, withLimits, withTracking } from '../../../../src/cli/flags/evaluation-options.js'
import { readFolderDefaults } from '../../../../src/config/folder/folder-defaults.js'
import { temporaryFolder } from '../../../support/store.js'

async function readFlags(name: string, ...line: readonly string[]) {
  const file = join(await temporaryFolder(), 'pipeline.yaml')
  await writeFile(file, 'include_path: /tasks\nprices: /prices.yaml\ntrack: tensorboard=/tb\n')
  const defaults = await readFolderDefaults(file)
  if (typeof defaults === 'string') throw new Error(defaults)
  const command = withTracking(withLimits(withExtensions(new Command(name)))).parse(line, { from: 'user' })
  addFolderDefaults(command, defaults)
  return command.opts<Readonly<Record<string, unknown>>>()
}

test('a command uses the defaults of the folder, and its own flags override them', async () => {
  expect(await readFlags('judge')).toMatchObject({
    includePath: ['/tasks'],
    prices: '/prices.yaml',
    track: [{ name: 'tensorboard', given: '/tb' }],
  })
  expect(await readFlags('judge', '--include-path', '/own', '--prices', '/p', '--track', 'wandb=x')).toMatchObject({
    includePath: ['/tasks', '/own'],
    prices: '/p',
    track: ['wandb=x'],
  })
})

test('a resumed run keeps its original settings, except its trackers', async () => {
  expect(await readFlags('resume')).toEqual({ track: [{ name: 'tensorboard', given: '/tb' }] })
})

test('an evaluation reads them with lower precedence than its configuration file', async () => {
  expect(await readFlags('eval')).toEqual({})
})
