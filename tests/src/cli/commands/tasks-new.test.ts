import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineTasks } from '../../../../src/cli/commands/tasks/tasks.js'
import { runCommand } from '../../../support/command.js'
import { temporaryFolder } from '../../../support/store.js'

test('prints a new task as JSON: its file, the columns and the guesses', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'sums.csv'), 'question,answer\n1 + 1?,2\n')
  const { data } = await runCommand(defineTasks, [
    ...['new', 'sums', '--from', join(folder, 'sums.csv'), '--dir', folder, '--json'],
  ])
  expect(JSON.parse(data)).toMatchObject({
    files: [join(folder, 'sums/sums.yaml')],
    columns: [{ name: 'question' }, { name: 'answer' }],
    guesses: expect.arrayContaining(['question: question']) as string[],
  })
})
