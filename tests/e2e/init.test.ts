/** `init` on a terminal, as a person answers it. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bin, runCli } from '../support/cli.js'
import { temporaryFolder } from '../support/store.js'

/** `script` of util-linux gives the program a terminal. */
function isScriptHere(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
}

const why = isScriptHere() ? '' : ' (skipped: script of util-linux is not installed)'

/** Answers questions in their order, each when it is asked. @returns what stood on the terminal */
async function answer(folder: string, steps: readonly (readonly [question: string, answer: string])[]) {
  const env = { PATH: process.env['PATH'], HOME: folder, TERM: 'dumb', NO_COLOR: '1' }
  const line = `'${process.execPath}' '${bin}' init`
  const child = spawn('script', ['-qefc', line, '/dev/null'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] })
  let [shown, at] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
  const ended = once(child, 'close')
  for (const [question, text] of steps) {
    await expect.poll(() => shown.indexOf(question, at), { timeout: 60_000 }).toBeGreaterThanOrEqual(0)
    at = shown.indexOf(question, at) + question.length
    child.stdin.write(`${text}\n`)
  }
  await ended
  return shown.replaceAll('\r', '')
}

test.skipIf(why !== '')(`a person is asked again for what cannot be, and the line then works${why}`, async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'rows.csv'), 'question,answer\nWhat is 2 + 3?,5\nWhat is 9 - 4?,5\n')
  const shown = await answer(folder, [
    ['model backend [dummy]:', 'dumy'],
    ['Did you mean "dummy"?', ''],
    ['data file', 'none.csv'],
    ['no file none.csv', 'rows.csv'],
    ['name of the task [rows]:', 'my sums'],
    ['a name is letters', 'sums'],
  ])
  expect(shown).toContain('try it:  pipeline eval --config eval.yaml --limit 5')
  expect(await readFile(join(folder, 'eval.yaml'), 'utf8')).toMatch(/model: dummy\nmodel_args:\n {2}mode: target\n/)
  const first = await runCli(['eval', '--config', 'eval.yaml', '--limit', '5'], { cwd: folder })
  expect(first.stdout).toMatch(/sums +exact_match +1\.000/)
})

test.skipIf(why !== '')(`the end of the input writes nothing${why}`, async () => {
  const folder = await temporaryFolder()
  // Ctrl-D at the beginning of a line ends the input of a terminal.
  const shown = await answer(folder, [['model backend [dummy]:', '\u0004']])
  expect(shown).toContain('Nothing was written')
})
