/** Runs the scripts of `completion` in the shells. */
import { execFile, execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bin, runCli } from '../support/cli.js'
import { writeTextTask } from '../support/text-task.js'

const run = promisify(execFile)
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'completion-test-'))
  await writeFile(join(folder, 'pipeline'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  await chmod(join(folder, 'pipeline'), 0o755)
  const task = await writeTextTask(join(folder, 'task'), 1)
  const named = ['--name', 'day/small', '--tag', 'step:1000']
  const ended = await runCli(['eval', '--model', 'dummy', '--tasks', task, ...named, '--quiet'], { cwd: folder })
  expect(ended).toMatchObject({ code: 0 })
})

afterAll(() => rm(folder, { recursive: true, force: true }))

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'true'])
    return true
  } catch {
    return false
  }
}

/** Runs a script of a shell that finds the program, and returns the lines that it prints. */
async function printedBy(shell: string, script: string): Promise<readonly string[]> {
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder }
  const { stdout } = await run(shell, ['-c', script], { cwd: folder, env })
  return stdout.trim().split('\n')
}

/** How each shell completes a line. Each function returns what the shell offers. */
const shells: Readonly<Record<string, (words: readonly string[]) => Promise<readonly string[]>>> = {
  bash: words => {
    // Bash breaks words at : and = before it calls the function.
    const parts = words.flatMap(word => word.split(/([:=])/).filter((part, at) => part !== '' || at === 0))
    const list = parts.map(part => `'${part}'`).join(' ')
    return printedBy(
      'bash',
      `eval "$(pipeline completion bash)"; COMP_LINE='pipeline ${words.join(' ')}'; COMP_WORDS=(pipeline ${list})
       COMP_CWORD=${parts.length}; _pipeline; printf '%s\\n' "\${COMPREPLY[@]}"`,
    )
  },
  zsh: words =>
    printedBy(
      'zsh',
      `compdef() { :; }; compadd() { print -l -- $names; }; _files() { print files; }; eval "$(pipeline completion zsh)"
       words=(pipeline ${words.map(word => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _pipeline`,
    ),
  fish: async words => {
    const found = await printedBy(
      'fish',
      `pipeline completion fish | source; complete -C 'pipeline ${words.join(' ')}'`,
    )
    return found.map(line => line.split('\t')[0] ?? '')
  },
}

describe.each(Object.entries(shells))('%s', (shell, complete) => {
  const why = isInstalled(shell) ? '' : ` (skipped: ${shell} is not installed)`

  test.skipIf(why !== '')(`completes commands, flags, runs and tags${why}`, async () => {
    expect(await complete(['ev'])).toEqual(['eval'])
    expect(await complete(['report', 'day'])).toEqual(['day/small'])
    expect(await complete(['runs', 'list', '--state', 'in'])).toEqual(['incomplete'])
    const [tag, model] = [await complete(['runs', 'list', '--tag', 'step:']), await complete(['eval', '--model=dum'])]
    // Bash replaces only the text after the sign.
    expect([tag, model]).toEqual(shell === 'bash' ? [['1000'], ['dummy']] : [['step:1000'], ['--model=dummy']])
  })

  test.skipIf(why !== '')(`completes files where an argument is a file${why}`, async () => {
    const files = await complete(['eval', '--config', 'tas'])
    expect(files).toEqual(shell === 'bash' ? [''] : shell === 'zsh' ? ['files'] : ['task/'])
  })
})
