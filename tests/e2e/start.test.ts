/** Files that a start loads: each costs time at every start, and packages that decode, compute or connect wait until they are needed. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/cli.js'
import { temporaryFolder } from '../support/store.js'

/** The files that the program loads for a command line. */
async function loadedFiles(...args: readonly string[]): Promise<string[]> {
  const folder = await temporaryFolder()
  const list = join(folder, 'loaded.txt')
  const hook = join(folder, 'hook.mjs')
  await writeFile(
    hook,
    `import { registerHooks } from 'node:module'
     import { appendFileSync } from 'node:fs'
     registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context) } })`,
  )
  const program = join(root, 'dist/src/cli/bin.js')
  spawnSync(process.execPath, ['--import', hook, program, ...args], { cwd: folder, stdio: 'ignore' })
  return readFileSync(list, 'utf8')
    .split('\n')
    .filter(url => url.startsWith('file:') && !url.endsWith('hook.mjs'))
}

test('starting the program loads few files and no unused package', async () => {
  const evaluation = await loadedFiles('eval', '--config', join(root, 'examples/quickstart.yaml'), '--plan')
  const list = await loadedFiles('tasks', 'list')
  const help = await loadedFiles('--help')
  for (const files of [evaluation, list, help])
    expect(
      files.filter(url => /node_modules\/(sharp|pg|onnxruntime-node|@aws-sdk|@modelcontextprotocol)\//.test(url)),
    ).toEqual([])
  expect(evaluation.length).toBeLessThan(100)
  expect(list.length).toBeLessThan(60)
  expect(help.length).toBeLessThan(20)
})
