import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { temporaryFolder } from '../support/store.js'

test('a starter in TypeScript can be validated, evaluated and scored again at once', async () => {
  const cwd = await temporaryFolder()
  await runCli(['tasks', 'new', 'my-task', '--ts'], { cwd })
  const file = join('my-task', 'my-task.task.ts')
  expect(await readFile(join(cwd, file), 'utf8')).toContain("name: 'my-task',\n  module: import.meta.url,\n")
  const validated = await runCli(['tasks', 'validate', file, '--docs', '3'], { cwd })
  expect(validated).toMatchObject({ code: 0 })
  expect(validated.stdout).toContain('exact: perfect 1.000, wrong 0.000')
  const evaluated = await runCli(['eval', file, '--model', 'dummy'], { cwd })
  expect(evaluated).toMatchObject({ code: 0 })
  expect(evaluated.stdout).toMatch(/my-task +exact +0\.000/)
  const again = await runCli(['judge', 'last'], { cwd })
  expect(again).toMatchObject({ code: 0 })
  expect((await runCli(['resume', 'last'], { cwd })).code).toBe(0)
})
